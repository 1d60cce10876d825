/** Uses every operation of the gateway with known secrets and records the exchanges. */

import type { Received, Sent } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { asAgent, asEventSink, forbiddenTokens, wrongTokens } from "./credentials.ts";
import type { RunningGateway } from "./running-gateway.ts";

export interface Exchange {
  readonly request: string;
  readonly response: Received;
}

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

/** Part of every service tag that is refused. */
export const canary = "canary-tag";
const canaryUrl = `https://verify.example.com/${canary}`;
const refusedQueries = [
  `uuiData=${hex(canaryUrl)};encoding=${canary}`,
  `uuiData=${encodeURIComponent(canaryUrl)}`,
  `uuiData=${hex(canaryUrl)}c328`,
  `uuiData=${hex(`${canaryUrl}/${"x".repeat(250)}`)}`,
  `uuidata=${hex(canaryUrl)}`,
  `uuiData=${hex(canaryUrl)}&uuiData=${hex(canary)}`,
];

/** Makes every operation succeed and fail, with secrets wherever a caller can put one. */
export async function useEverything(gateway: RunningGateway, hostPin: string, tags: readonly string[]) {
  const exchanges: Exchange[] = [];
  /** Every token that was sent. */
  const tokens = new Set<string>();
  const send = async (request: string, sent: Sent = {}): Promise<Received> => {
    const { authorization = "", "x-auth-token": agentToken = "" } = sent.headers ?? {};
    for (const token of [authorization.replace(/^\w+ /, ""), agentToken]) if (token !== "") tokens.add(token);
    const response = await gateway.send(request, sent);
    exchanges.push({ request, response });
    return response;
  };
  const privately = async (request: string, sent: Sent = {}) =>
    send(request, { ...sent, headers: { ...gateway.asApplication(), ...sent.headers } });

  const { platform, issuer, contactCentre, logWorkspace } = gateway.stack;
  const guestPins: string[] = [];
  await privately("POST /room/bulk/?max_vmr=4");
  await gateway.settled();
  for (const tag of tags) {
    const { json } = await privately(`POST /room/create?uuiData=${hex(tag)};encoding=hex`);
    const { name, guest_pin } = json as { name: string; guest_pin: string };
    guestPins.push(guest_pin);
    for (const query of ["", "?constrained_attributes=false"]) {
      await privately(`GET /room/${name}${query}`);
      await privately(`GET /room/list${query}`);
      await send(`GET /public/room/${name}${query}`, { headers: asAgent });
    }
    for (const json of [
      { description: "a note", tag, guest_pin },
      { pin: Number(hostPin), guest_pin: [guest_pin] },
      { pin: hostPin.slice(0, 2), guest_pin: hostPin },
      { participant_limit: -1, pin: hostPin, tag },
      [{ pin: hostPin, guest_pin }],
    ])
      await privately(`PATCH /room/${name}`, { json });
    await privately(`PATCH /room/${name}`, { text: `{"pin": "${hostPin}", "guest_pin": "${guest_pin}"` });
    platform.startConference({ name, participants: 1 });
    await send("POST /public/event_sink", {
      headers: asEventSink(),
      json: { event: "conference_ended", data: { name, tag, service_tag: tag, pin: guest_pin } },
    });
  }
  for (const query of refusedQueries) await privately(`POST /room/create?${query}`);
  for (const makeToken of [...Object.values(wrongTokens), ...Object.values(forbiddenTokens)])
    await send("GET /room/list", { headers: { authorization: `Bearer ${makeToken(issuer)}` } });
  await privately("GET /room/nobody");
  for (const token of ["canary-unknown-agent-token", identities.otherAgentToken])
    await send("GET /public/room/x", { headers: { "x-auth-token": token } });
  await send("POST /public/event_sink", { headers: asEventSink("x", "canary-wrong-password"), json: {} });
  for (const kind of ["html500", "reset"] as const) {
    platform.addFault({ kind, count: 2 });
    await privately("GET /room/list");
    platform.clearFaults();
  }
  // The platform repeats what it rejects: once the service tag, which is the caller's, and once another field.
  const rejected = [{ tag: [tags[0]], pin: [hostPin] }, { pin: [hostPin, tags[0]] }];
  const faults = rejected.map((conference) => ({ status: 400, body: { conference } }));
  for (const fault of [...faults, { kind: "reset" as const }]) {
    platform.addFault({ ...fault, method: "PATCH" });
    await privately(`POST /room/create?uuiData=${hex(tags[0] ?? "")}`);
    platform.clearFaults();
  }
  contactCentre.failNext({ status: 500 });
  await send("GET /public/room/x", { headers: { "x-auth-token": "canary-agent-token-during-an-outage" } });
  logWorkspace.failNext({ status: 403 });
  await gateway.runTimer("collectMetrics", "Failed");
  await gateway.runTimer("collectMetrics");
  await gateway.runTimer("collectGarbage");
  await platform.goDown("refuse");
  await privately("GET /room/list");
  await privately("POST /room/create");
  await gateway.runTimer("collectMetrics");
  await platform.goUp();
  await privately("DELETE /room/bulk/");
  await gateway.settled();
  return { exchanges, tokens, guestPins };
}
