/** The rules for a room's two PINs. */
import type { FieldErrors } from "../model/api-error.ts";

/** Returns the broken rules, or an empty object if the PINs are valid. The empty string means no PIN. */
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
