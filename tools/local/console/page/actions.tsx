/** The forms of the actions: each sends one request and shows it as a `curl` line. */
import { useEffect, useState } from "preact/hooks";
import { type Action, actionGroups, type Field, needsRoom, toCurl, type Values } from "../actions.ts";
import { type Addresses, type RoomRow, stateTitles } from "../console-state.ts";
import { inOrder } from "./lists.tsx";
import { type ActionResult, runAction } from "./run-action.ts";

export interface ActionPanelProps {
  readonly addresses: Addresses;
  readonly rooms: readonly RoomRow[];
  /** The room to suggest: the one that is shown, or was created last. */
  readonly room: string | undefined;
  readonly onCreated: (name: string) => void;
}

const openGroups = 2;
const freeStates = ["provisioning", "pooled"];

export function ActionPanel(props: ActionPanelProps) {
  const { room: suggested, rooms } = props;
  const [room, setRoom] = useState("");
  useEffect(() => {
    if (suggested !== undefined) setRoom(suggested);
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
          <select value={chosen} onChange={({ currentTarget }) => setRoom(currentTarget.value)}>
            {inUse.map(({ name, state }) => (
              <option key={name} value={name}>
                {name} · {stateTitles[state].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      )}
      {inUse.length === 0 && <p class="muted">No room is in use. Create one to use the other actions.</p>}
      {Object.entries(actionGroups).map(([title, actions], index) => (
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
  const { id, label, fields = [], confirm } = action;
  const isAboutRoom = needsRoom(action);
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, String(initial)])),
  );
  const [result, setResult] = useState<ActionResult>();
  const [isRunning, setIsRunning] = useState(false);
  const [asksFor, setAsksFor] = useState<string>();
  const values = { ...typed, room };
  const question = confirm?.(rooms.length);
  // What was asked must still be true when it is confirmed.
  const isAsking = question !== undefined && asksFor === question + room;
  const look = id === "create" ? "primary" : isAsking ? "danger sure" : confirm ? "danger" : "";

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (question !== undefined && !isAsking) return setAsksFor(question + room);
    setAsksFor(undefined);
    setIsRunning(true);
    const received = await runAction(id, values);
    setIsRunning(false);
    setResult(received);
    if (received.room !== undefined) onCreated(received.room);
  }

  const curl = toCurl(action, values, addresses);
  return (
    <form
      class="action"
      aria-label={label}
      onInput={({ currentTarget }) => setTyped(readValues(currentTarget))}
      onSubmit={(event) => void submit(event)}
    >
      {fields.map((field) => (
        <FieldInput key={field.name} {...field} />
      ))}
      <span class="buttons">
        <button class={look} type="submit" disabled={isRunning || (isAboutRoom && room === "")}>
          {isAsking ? question : label}
        </button>
        {isAsking && (
          <button type="button" onClick={() => setAsksFor(undefined)}>
            Keep
          </button>
        )}
      </span>
      <details class="curl">
        <summary aria-label={`curl lines of: ${label}`}>curl</summary>
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

function readValues(form: HTMLFormElement): Values {
  return Object.fromEntries(
    Array.from(new FormData(form), ([name, value]) => [name, typeof value === "string" ? value : ""]),
  );
}

function Result({ result: { status, text } }: { result: ActionResult }) {
  return (
    <>
      <strong>{status ?? "No response"}</strong>{" "}
      {text.startsWith("{") ? (
        <div class="copied">
          <code tabIndex={0} title={text.includes("••••••") ? "The PIN is hidden in the console." : ""}>
            {text}
          </code>
          <CopyButton text={text} what="response" />
        </div>
      ) : (
        <span>{text}</span>
      )}
    </>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setCopied(text);
  };
  return (
    <button class="copy" type="button" aria-label={`Copy the ${what}`} onClick={() => void copy()}>
      {copied === text ? "Copied" : "Copy"}
    </button>
  );
}

/** The form reads the value. */
function FieldInput({ name, label, initial, options }: Field) {
  const isNumber = typeof initial === "number";
  return (
    <label class={options || isNumber ? "field" : "field long"}>
      <span>{label}</span>
      {options ? (
        <select name={name}>
          {Object.keys(options).map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          name={name}
          inputMode={isNumber ? "numeric" : "text"}
          defaultValue={String(initial)}
        />
      )}
    </label>
  );
}

function toneOf(result: ActionResult | undefined): string {
  const { status = 500 } = result ?? {};
  return status >= 500 ? "bad" : status >= 400 ? "warning" : "good";
}
