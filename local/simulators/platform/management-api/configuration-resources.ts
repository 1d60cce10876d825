/** The resources under `configuration/`, by name. */
import type { PlatformState } from "../platform-state.ts";
import { aliasResource } from "./alias-resource.ts";
import { conferenceResource } from "./conference-resource.ts";
import { unlinkParticipant } from "./conference-writes.ts";
import type { Resource } from "./resource.ts";
import { simpleResource } from "./simple-resources.ts";

export function configurationResources(state: PlatformState): Map<string, Resource> {
  const { clock, simple } = state;
  const unlink = (uri: string): void => unlinkParticipant(state, uri);
  return new Map<string, Resource>([
    ["conference", conferenceResource(state)],
    ["conference_alias", aliasResource(state)],
    ["system_location", simpleResource("system_location", simple.system_location, clock)],
    ["ivr_theme", simpleResource("ivr_theme", simple.ivr_theme, clock)],
    [
      "automatic_participant",
      simpleResource("automatic_participant", simple.automatic_participant, clock, unlink),
    ],
  ]);
}
