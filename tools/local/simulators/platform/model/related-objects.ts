/** The objects that rooms may refer to: one location, one theme and one automatically dialled participant, with id 1. */
import { idOfUri } from "./resource-uri.ts";

const creation_time = "2026-01-01T00:00:00";

export const relatedObjects = {
  system_location: { id: 1, name: "Local", description: "", event_sinks: [], creation_time },
  ivr_theme: { id: 1, name: "Standard", uuid: "", last_updated: null, creation_time },
  automatic_participant: {
    id: 1,
    alias: "sip:queue@contact-centre.example.com",
    protocol: "sip",
    call_type: "video",
    role: "guest",
    keep_conference_alive: "keep_conference_alive_if_multiple",
    routing: "manual",
    streaming: false,
    dtmf_sequence: "",
    remote_display_name: "",
    presentation_url: "",
    description: "",
    creation_time,
  },
};

/** Whether a reference that `relationUri` returned leads to one of the objects. */
export const isKnownObject = (uri: string): boolean => idOfUri(uri) === 1;
