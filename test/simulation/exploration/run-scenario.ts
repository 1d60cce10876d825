/** Runs one history of a scenario: a chooser decides at each step what happens next. */

import type { RandomSource } from "../../../src/lib/ports.ts";
import { settlePromises } from "../../../tools/simulators/memory/clock.ts";
import { createSeededRandom } from "../../../tools/simulators/memory/seeded-random.ts";
import { settleAndAudit } from "../audit.ts";
import type { Violation } from "../ledger.ts";
import { createWorld } from "../world.ts";
import { createExploringPorts, type ExploringPorts, type Transition } from "./exploring-ports.ts";
import { type Limits, processCountOf, type Scenario, type ScenarioStep } from "./scenario.ts";
import { stateKey } from "./state-key.ts";

/** Returns the index of the next transition, or undefined if nothing is left to try from here. */
export type Choose = (stateKey: () => string, count: number) => number | undefined;

export interface Failure {
  readonly violation: Violation;
  readonly history: readonly string[];
}

/** Returns the first broken promise, with what happened until then. */
export async function runScenario(
  scenario: Scenario,
  { faults: maxFaults, skewMilliseconds }: Limits,
  choose: Choose,
): Promise<Failure | undefined> {
  const { world, ports } = createExploredWorld(scenario, skewMilliseconds);
  await scenario.arrange(world);
  ports.setExploring(true);
  const budget = { faults: maxFaults, lapses: scenario.lapse?.times ?? 0 };
  const unstarted = new Set(scenario.steps);
  const history: string[] = [];
  const isBulkDeleted = scenario.steps.some(({ isBulkDelete }) => isBulkDelete);
  // Beginning only sends a first call, which can wait arbitrarily long, so moments differ only by the minutes that have
  // passed.
  let mayBegin = true;

  /** A call's own transitions first, so the first history of all is the one without delays. */
  function transitions(): readonly Transition[] {
    const own = ports.transitions(budget);
    const timed = [...unstarted].filter(({ isTimed, isReady }) => isTimed && (isReady?.(world) ?? true));
    const untimed = mayBegin ? [...unstarted].filter(({ isTimed }) => !isTimed) : [];
    // If minutes never pass, all begin at once.
    if (untimed[0] && budget.lapses === 0) return [beginningOf(untimed[0])];
    const starts = [...timed, ...untimed].map(beginningOf);
    return [...own, ...starts, ...(ports.isBusy() ? [] : whatTimeBrings())];
  }

  function beginningOf(step: ScenarioStep): Transition {
    const wasAllowed = mayBegin;
    return {
      label: `${step.label} begins`,
      faults: 0,
      run() {
        unstarted.delete(step);
        mayBegin = wasAllowed;
        step.start(world);
      },
    };
  }

  /** Minutes pass only while no call is on its way, because each call has a timeout. */
  function whatTimeBrings(): Transition[] {
    const { clock } = world;
    const dueAt = Math.min(...clock.dueTimes());
    if (Number.isFinite(dueAt)) return [{ label: "a retry is due", faults: 0, run: runDueEvent }];
    if (budget.lapses === 0 || (unstarted.size === 0 && !ports.isFrozen())) return [];
    const { seconds = 0 } = scenario.lapse ?? {};
    return [
      {
        label: `${seconds} s pass`,
        faults: 0,
        run() {
          budget.lapses -= 1;
          mayBegin = true;
          clock.elapse(seconds * 1000);
          ports.onLapse();
        },
      },
    ];

    async function runDueEvent(): Promise<void> {
      let isRun = false;
      await clock.advance(Math.max(0, dueAt - clock.now()), () => {
        const wasRun = isRun;
        isRun = true;
        return wasRun;
      });
    }
  }

  for (;;) {
    // Before time passes: code that has just begun reads the clock at the moment at which it began.
    await settlePromises();
    world.clock.elapse(1);
    if (world.ledger.violations.length > 0) break;
    const possible = transitions();
    const rest = () => [
      budget,
      mayBegin,
      [...unstarted].map(({ label }) => label),
      ports.state(world.running),
    ];
    const choice = choose(() => stateKey(world, rest(), isBulkDeleted), possible.length);
    if (choice === undefined) {
      if (possible.length > 0) return undefined;
      ports.setExploring(false);
      world.setPolling(true);
      const isWithoutFaults = budget.faults === maxFaults;
      await settleAndAudit(world, { isWithoutFaults, isBulkDeleted, removals: 0, maxRequestedLevel: 0 });
      break;
    }
    const transition = possible[choice];
    if (!transition) throw new Error(`there is no transition ${choice}: the scenario is not deterministic`);
    history.push(transition.label);
    budget.faults -= transition.faults;
    mayBegin = false;
    await transition.run();
  }
  const [violation] = world.ledger.violations;
  return violation && { violation, history };
}

function createExploredWorld(scenario: Scenario, skewMilliseconds: number) {
  let ports: ExploringPorts | undefined;
  const randoms: RandomSource[] = [];
  const world = createWorld(
    {
      seed: 1,
      provisioningFaults: [],
      skewMilliseconds,
      readyDelaySeconds: scenario.readyDelaySeconds ?? 90,
    },
    {
      level: scenario.level ?? { max: 1, min: 1 },
      processCount: processCountOf(scenario),
      platformTimeoutSeconds: 1,
      randomOf: ({ index }) => {
        randoms[index] ??= createSeededRandom(index);
        return randoms[index];
      },
      wrapPorts: (timed, clock) => {
        ports = createExploringPorts(timed, clock);
        return ports;
      },
    },
  );
  if (!ports) throw new Error("the world did not ask for its ports");
  world.setPolling(false);
  return { world, ports };
}
