/** The forms of the actions: each sends one request and shows it as a `curl` line. */
import { useState } from "preact/hooks";
import {
  type Action,
  type Addresses,
  actionGroups,
  type Field,
  needsRoom,
  toCurl,
  type Values,
} from "../actions.ts";
import { type RoomRow, stateTitles } from "../console-state.ts";
import { usableRooms } from "../view.ts";
import { type ActionResult, runAction } from "./run-action.ts";

export interface ActionPanelProps {
  readonly addresses: Addresses;
  readonly rooms: readonly RoomRow[];
  /** The room that was chosen or created last. */
  readonly room: string;
  readonly onRoom: (name: string) => void;
}

const openGroups = 2;

export function ActionPanel({ addresses, rooms, room, onRoom }: ActionPanelProps) {
  const { usable, chosen } = usableRooms(rooms, room);
  return (
    <section class="actions" aria-labelledby="actions-title">
      <h2 id="actions-title">Try it</h2>
      {usable.length === 0 && <p class="muted">No room is in use. Create one to use the other actions.</p>}
      {usable.length > 0 && (
        <label class="card">
          <b>Room for the actions</b>
          <select value={chosen} onChange={({ currentTarget }) => onRoom(currentTarget.value)}>
            {usable.map(({ name, state }) => (
              <option key={name} value={name}>
                {name} · {stateTitles[state].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      )}
      {Object.entries(actionGroups).map(([title, actions], index) => (
        <details key={title} class="card" open={index < openGroups}>
          <summary>
            <b>{title}</b>
          </summary>
          {actions.map((action) => (
            <ActionForm key={action.id} action={action} addresses={addresses} room={chosen} onRoom={onRoom} />
          ))}
        </details>
      ))}
    </section>
  );
}

interface ActionFormProps extends Omit<ActionPanelProps, "rooms"> {
  readonly action: Action;
}

function ActionForm({ action, addresses, room, onRoom }: ActionFormProps) {
  const { id, label, fields = [], confirm } = action;
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, String(initial)])),
  );
  const [result, setResult] = useState<ActionResult>();
  const [isRunning, setIsRunning] = useState(false);
  const values = { ...typed, room };

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (confirm !== undefined && !window.confirm(confirm)) return;
    setIsRunning(true);
    const received = await runAction(action, values);
    setIsRunning(false);
    setResult(received);
    if (received.room !== undefined) onRoom(received.room);
  }

  return (
    <form
      aria-label={label}
      onInput={({ currentTarget }) => setTyped(readValues(currentTarget))}
      onSubmit={(event) => void submit(event)}
    >
      {fields.map((field) => (
        <FieldInput key={field.name} {...field} />
      ))}
      <button
        class={id === "create" ? "primary" : confirm ? "bad" : ""}
        type="submit"
        disabled={isRunning || (needsRoom(action) && room === "")}
      >
        {label}
      </button>
      <details>
        <summary class="muted" aria-label={`curl lines of: ${label}`}>
          curl
        </summary>
        <pre tabIndex={0}>{toCurl(action, values, addresses)}</pre>
      </details>
      <output aria-live="polite">{result && <Result {...result} />}</output>
    </form>
  );
}

function readValues(form: HTMLFormElement): Values {
  return Object.fromEntries(
    Array.from(new FormData(form), ([name, value]) => [name, typeof value === "string" ? value : ""]),
  );
}

function Result({ status, text }: ActionResult) {
  const tone = status === undefined || status >= 500 ? "bad" : status >= 400 ? "warning" : "good";
  return (
    <>
      <b class={tone}>{status ?? "No response"}</b>{" "}
      {text.startsWith("{") ? <pre tabIndex={0}>{text}</pre> : text}
    </>
  );
}

/** The form reads the value. */
function FieldInput({ name, label, initial, options }: Field) {
  return (
    <label>
      <span class="muted">{label}</span>
      {options ? (
        <select name={name}>
          {Object.keys(options).map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input name={name} defaultValue={String(initial)} />
      )}
    </label>
  );
}
