/** The forms of the actions: each sends one request and shows it as a `curl` line. */
import { useEffect, useState } from "preact/hooks";
import {
  type Action,
  actionGroups,
  type Field,
  needsRoom,
  requestOf,
  toCurl,
  type Values,
} from "../actions.ts";
import {
  type ActionResult,
  type Addresses,
  type RoomRow,
  type RoomState,
  stateTitles,
} from "../console-state.ts";
import { inOrder } from "./lists.tsx";

export interface ActionPanelProps {
  readonly addresses: Addresses;
  readonly rooms: readonly RoomRow[];
  /** The room to suggest: the one that is shown, or was created last. */
  readonly room: string | undefined;
  readonly onCreated: (name: string) => void;
}

const openGroups = 2;
const freeStates: readonly RoomState[] = ["provisioning", "pooled"];
const chosenRoomKey = "chosen-room";

export function ActionPanel(props: ActionPanelProps) {
  const [room, setRoom] = useState(() => sessionStorage.getItem(chosenRoomKey) ?? "");
  const { room: suggested, rooms } = props;
  const choose = (name: string): void => {
    sessionStorage.setItem(chosenRoomKey, name);
    setRoom(name);
  };
  useEffect(() => {
    if (suggested !== undefined) choose(suggested);
  }, [suggested]);
  const inUse = rooms
    .filter(({ name, state }) => !freeStates.includes(state) || name === suggested)
    .toSorted(inOrder);
  const chosen = inUse.some(({ name }) => name === room) ? room : (inUse[0]?.name ?? "");
  return (
    <section id="actions" class="actions" aria-labelledby="actions-title" tabIndex={-1}>
      <h2 id="actions-title">Try it</h2>
      {inUse.length > 0 && (
        <label class="card chosen-room">
          <span>Room for the actions</span>
          <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {inUse.map(({ name, state }) => (
              <option key={name} value={name}>
                {name} · {stateTitles[state].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      )}
      {inUse.length === 0 && <p class="muted">No room is in use. Create one to use the other actions.</p>}
      {actionGroups.map(({ title, actions }, index) => (
        <details key={title} class="card group" open={index < openGroups}>
          <summary>{title}</summary>
          {actions.map((action) => (
            <ActionForm key={action.id} {...props} action={action} room={chosen} />
          ))}
        </details>
      ))}
    </section>
  );
}

interface ActionFormProps extends Omit<ActionPanelProps, "room"> {
  readonly action: Action;
  readonly room: string;
}

function ActionForm({ action, addresses, room, rooms, onCreated }: ActionFormProps) {
  const { fields = [], confirm } = action;
  const isAboutRoom = needsRoom(action);
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const [result, setResult] = useState<ActionResult>();
  const [isRunning, setIsRunning] = useState(false);
  const [asksFor, setAsksFor] = useState<string>();
  const values = isAboutRoom ? { ...typed, room } : typed;
  const question = confirm?.(rooms.length);
  // What was asked must still be true when it is confirmed.
  const isAsking = question !== undefined && asksFor === question + room;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (question !== undefined && !isAsking) return setAsksFor(question + room);
    setAsksFor(undefined);
    setIsRunning(true);
    const sent = await runAction(action.id, values);
    setIsRunning(false);
    setResult(sent);
    if (sent.room !== undefined) onCreated(sent.room);
  }

  const curl = toCurl(requestOf(action, values, addresses), addresses);
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
      <span class="buttons">
        <button
          class={
            action.id === "create" ? "primary" : isAsking ? "danger sure" : confirm ? "danger" : undefined
          }
          type="submit"
          disabled={isRunning || (isAboutRoom && room === "")}
        >
          {isAsking ? question : action.label}
        </button>
        {isAsking && (
          <button type="button" onClick={() => setAsksFor(undefined)}>
            Keep
          </button>
        )}
      </span>
      <details class="curl">
        <summary aria-label={`curl lines of: ${action.label}`}>curl</summary>
        <div class="copied">
          <code>{curl}</code>
          <CopyButton text={curl} what="curl lines" />
        </div>
      </details>
      <output class={`result ${toneOf(result)}`} aria-live="polite">
        {result && <Result result={result} />}
      </output>
    </form>
  );
}

function Result({ result: { status, text } }: { result: ActionResult }) {
  const pretty = inLines(text);
  return (
    <>
      <strong>{status ?? "No response"}</strong>{" "}
      {pretty === undefined ? (
        <span>{text}</span>
      ) : (
        <div class="copied">
          <code
            tabIndex={0}
            title={text.includes("••••••") ? "The PIN is hidden in the console." : undefined}
          >
            {pretty}
          </code>
          <CopyButton text={pretty} what="response" />
        </div>
      )}
    </>
  );
}

/** Returns a JSON object or list in lines, or undefined for another text. */
function inLines(text: string): string | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setIsCopied(true);
  };
  useEffect(() => setIsCopied(false), [text]);
  return (
    <button class="copy" type="button" aria-label={`Copy the ${what}`} onClick={() => void copy()}>
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function FieldInput({ field, value, onValue }: FieldInputProps) {
  const { label, options, type = "text" } = field;
  return (
    <label class={options || type === "number" ? "field" : "field long"}>
      <span>{label}</span>
      {options ? (
        <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          inputMode={type === "number" ? "numeric" : "text"}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </label>
  );
}

/** Lets the server send an action's request. Returns the response, or that there was none. */
export async function runAction(id: string, values: Values): Promise<ActionResult> {
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
