/** Whether a run was hard enough to mean anything: what was asked for, and what struck. */
import type { Line } from "./audit.ts";
import { strikes } from "./fault-picker.ts";
import type { Ledger, Session } from "./ledger.ts";
import type { TcpProxy } from "./tcp-proxy.ts";

export interface StrengthOptions {
  readonly minClaims: number;
  /** How many kinds of faults must have struck each connection: a short run on a busy computer meets not all. */
  readonly minKindsOfFaults: number;
  readonly ledger: Ledger;
  readonly storageProxy: TcpProxy;
  readonly platformProxy: TcpProxy;
  readonly kills: number;
  readonly outages: { readonly platform: number; readonly storage: number };
}

const minShareHandedOut = 0.25;

/** Not ok: too few rooms handed out, too few kinds of faults that struck, no kill, no outage. */
export function strengthOf({
  minClaims,
  minKindsOfFaults,
  ledger,
  kills,
  outages,
  ...proxies
}: StrengthOptions): Line[] {
  const count = (answer: Session["answer"]) =>
    ledger.sessions.filter((session) => session.answer === answer).length;
  const sent = ledger.sessions.length;
  const handedOut = count("handed-out");
  const struck = { storage: proxies.storageProxy.strikes(), platform: proxies.platformProxy.strikes() };
  const isStruck = Object.values(struck).every(
    (counts) => strikes.filter((kind) => (counts[kind] ?? 0) > 0).length >= minKindsOfFaults,
  );
  return [
    {
      isOk: sent >= minClaims && handedOut >= sent * minShareHandedOut,
      text: `${sent} claims: ${handedOut} rooms handed out, ${count("refused")} refused, ${count("lost")} answers never reached their caller, ${count("not-sent")} not sent`,
    },
    {
      isOk: isStruck && kills > 0 && outages.platform > 0,
      text: `${kills} processes killed, platform down ${outages.platform} times, storage ${outages.storage} times, ${ledger.sweeps.length} bulk deletes`,
      details: Object.entries(struck).map(([part, counts]) => `${part}: ${describe(counts)}`),
    },
  ];
}

function describe(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  return parts.toSorted().join(", ");
}
