/** What one can do: forms that send one request each, and show it as a `curl` line. */
import { useEffect, useState } from "preact/hooks";
import { type Action, actionGroups, type Field, toCurl, type Values } from "../actions.ts";
import {
  type ActionResult,
  type Addresses,
  type RoomRow,
  type RoomState,
  stateTitles,
} from "../console-state.ts";

export interface ActionPanelProps {
  readonly addresses: Addresses;
  readonly rooms: readonly RoomRow[];
  /** The room to suggest: the one that is shown, or was created last. */
  readonly room: string | undefined;
  readonly onCreated: (name: string) => void;
}

const openGroups = 2;
const freeStates: readonly RoomState[] = ["provisioning", "pooled"];

export function ActionPanel(props: ActionPanelProps) {
  const [room, setRoom] = useState("");
  const { room: suggested, rooms } = props;
  useEffect(() => {
    if (suggested !== undefined) setRoom(suggested);
  }, [suggested]);
  const inUse = rooms.filter(({ name, state }) => !freeStates.includes(state) || name === suggested);
  const chosen = inUse.some(({ name }) => name === room) ? room : (inUse[0]?.name ?? "");
  return (
    <aside class="actions" aria-labelledby="actions-title">
      <h2 id="actions-title">Try it</h2>
      <label class="card chosen-room">
        <span>Room for the actions</span>
        <select value={chosen} onChange={({ currentTarget }) => setRoom(currentTarget.value)}>
          {inUse.length === 0 && <option value="">Create a room first</option>}
          {inUse.map(({ name, state }) => (
            <option key={name} value={name}>
              {name} · {stateTitles[state].toLowerCase()}
            </option>
          ))}
        </select>
      </label>
      {actionGroups.map(({ title, actions }, index) => (
        <details key={title} class="card group" open={index < openGroups}>
          <summary>{title}</summary>
          {actions.map((action) => (
            <ActionForm key={action.id} {...props} action={action} room={chosen} />
          ))}
        </details>
      ))}
    </aside>
  );
}

interface ActionFormProps extends Omit<ActionPanelProps, "room"> {
  readonly action: Action;
  readonly room: string;
}

function ActionForm({ action, addresses, room, onCreated }: ActionFormProps) {
  const { fields = [], needsRoom = false } = action;
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const [result, setResult] = useState<ActionResult>();
  const [isRunning, setIsRunning] = useState(false);
  const values = needsRoom ? { ...typed, room } : typed;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setIsRunning(true);
    const sent = await send(action.id, values);
    setIsRunning(false);
    setResult(sent);
    if (sent.room !== undefined) onCreated(sent.room);
  }

  return (
    <form class="action" onSubmit={(event) => void submit(event)} aria-label={action.label}>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          onValue={(value) => setTyped({ ...typed, [field.name]: value })}
        />
      ))}
      <button
        class={action.isPrimary ? "primary" : undefined}
        type="submit"
        disabled={isRunning || (needsRoom && room === "")}
      >
        {action.label}
      </button>
      <details class="curl">
        <summary aria-label={`curl line of: ${action.label}`}>curl</summary>
        <code>{toCurl(action.request(values, addresses))}</code>
      </details>
      <output class={`result ${toneOf(result)}`} aria-live="polite">
        {result && (
          <>
            <strong>{result.status ?? "No response"}</strong> {result.text}
          </>
        )}
      </output>
    </form>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function FieldInput({ field, value, onValue }: FieldInputProps) {
  const { options } = field;
  return (
    <label class="field">
      <span>{field.label}</span>
      {options ? (
        <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      ) : field.type === "number" ? (
        <input
          type="number"
          min={0}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      ) : (
        <input type="text" value={value} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    </label>
  );
}

async function send(id: string, values: Values): Promise<ActionResult> {
  try {
    const body = JSON.stringify(values);
    const headers = { "content-type": "application/json" };
    const response = await fetch(`/actions/${id}`, { method: "POST", headers, body });
    return await response.json();
  } catch {
    return { status: null, text: "The console's server does not respond." };
  }
}

function toneOf(result: ActionResult | undefined): string {
  if (!result) return "";
  if (result.status === null || result.status >= 500) return "bad";
  return result.status >= 400 ? "warning" : "good";
}
