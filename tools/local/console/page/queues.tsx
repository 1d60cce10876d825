/** The depths of the queues. */
import type { QueueDepths } from "../console-state.ts";

const names: readonly (readonly [keyof QueueDepths, string, string])[] = [
  ["pool", "Pool", "rooms to hand out"],
  ["provisioning", "Provisioning", "requests for rooms"],
  ["deletion", "Deletion", "rooms to delete"],
  ["poison", "Poison", "requests given up"],
];

export function Queues({ queues }: { queues: QueueDepths }) {
  return (
    <section class="card" aria-labelledby="queues-title">
      <h2 id="queues-title">Queues</h2>
      <dl class="queues">
        {names.map(([key, title, content]) => (
          <div key={key} class={key === "poison" && queues.poison > 0 ? "bad" : undefined}>
            <dt>
              {title} <span class="muted">{content}</span>
            </dt>
            <dd>{queues[key]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
