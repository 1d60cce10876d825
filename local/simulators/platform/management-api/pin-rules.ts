/** The rules that tie a room's two PINs to each other and to its guests. */
import type { FieldErrors } from "../model/api-error.ts";

/** Gives the broken rules; an empty object when the PINs are fine. "No PIN" is the empty string. */
export function checkPins(
  room: { pin: string; guest_pin: string; allow_guests: boolean },
  minPinLength: number,
): FieldErrors {
  const { pin, guest_pin: guestPin, allow_guests: allowGuests } = room;
  const tooShort = [`Ensure this value has at least ${minPinLength} characters.`];
  const errors: FieldErrors = {};
  if (pin !== "" && pin.length < minPinLength) errors["pin"] = tooShort;
  if (guestPin !== "" && guestPin.length < minPinLength) errors["guest_pin"] = tooShort;
  const across = crossFieldFaults(pin, guestPin, allowGuests);
  if (across.length > 0) errors["__all__"] = across;
  return errors;
}

function crossFieldFaults(pin: string, guestPin: string, allowGuests: boolean): string[] {
  if (allowGuests && pin === "") return ["A host PIN is required when guests are allowed."];
  if (guestPin === "") return [];
  if (!allowGuests) return ["A guest PIN cannot be set unless guests are allowed."];
  if (pin === guestPin) return ["The host PIN and the guest PIN must be different."];
  const bothEndInHash = pin.endsWith("#") && guestPin.endsWith("#");
  if (pin.length === guestPin.length || bothEndInHash) return [];
  return ["The host PIN and the guest PIN must have the same length, or both must end in #."];
}
