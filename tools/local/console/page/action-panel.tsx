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
import { type ActionResult, runAction } from "./run-action.ts";

interface ActionPanelProps {
  readonly addresses: Addresses;
  /** The room that was chosen or created last. */
  readonly room: string | undefined;
  readonly onRoom: (name: string) => void;
}

const openGroups = 2;

export function ActionPanel({ room, ...props }: ActionPanelProps) {
  return (
    <article>
      <h2>Try it</h2>
      <p>{room === undefined ? "Create or choose a room to use the other actions." : `With ${room}:`}</p>
      {Object.entries(actionGroups).map(([title, actions], index) => (
        <details key={title} open={index < openGroups}>
          <summary>{title}</summary>
          {actions.map((action) => (
            <ActionForm key={action.id} action={action} room={room} {...props} />
          ))}
        </details>
      ))}
    </article>
  );
}

interface ActionFormProps extends ActionPanelProps {
  readonly action: Action;
}

function ActionForm({ action, addresses, room, onRoom }: ActionFormProps) {
  const { label, fields = [] } = action;
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, String(initial)])),
  );
  const [result, setResult] = useState<ActionResult>();
  const [isRunning, setIsRunning] = useState(false);
  const values = { ...typed, room: room ?? "" };
  // A disabled button would lose the keyboard's focus.
  const isDisabled = isRunning || (needsRoom(action) && room === undefined);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isDisabled) return;
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
      <button type="submit" aria-disabled={isDisabled}>
        {label}
      </button>
      <details>
        <summary aria-label={`curl lines of: ${label}`}>curl</summary>
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
  return (
    <>
      <b>{status ?? "No response"}</b> {text.startsWith("{") ? <pre tabIndex={0}>{text}</pre> : text}
    </>
  );
}

/** The form reads the value. */
function FieldInput({ name, label, initial, options }: Field) {
  return (
    <label>
      {label}
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
