/** The inline constraints of route parameters, such as `int` or `regex(...)`. */

export type Constraint = (value: string) => boolean;

const maxInt = 2_147_483_647;
const minInt = -2_147_483_648;
const guid =
  /^(\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|\([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i;

/** Parses one constraint, for example `length(2,5)`. Throws if it is unknown. */
export function parseConstraint(text: string): Constraint {
  const [, name = "", argument] = /^([a-z]+)(?:\((.*)\))?$/is.exec(text) ?? [];
  switch (name.toLowerCase()) {
    case "int":
      return isInt;
    case "guid":
      return (value) => guid.test(value);
    case "alpha":
      return (value) => /^[a-z]*$/i.test(value);
    case "length": {
      const [least = Number.NaN, most = least] = (argument ?? "").split(",").map(Number);
      return requireNumbers(text, [least, most], (value) => value.length >= least && value.length <= most);
    }
    case "minlength":
      return requireNumbers(text, [Number(argument)], (value) => value.length >= Number(argument));
    case "maxlength":
      return requireNumbers(text, [Number(argument)], (value) => value.length <= Number(argument));
    case "regex": {
      const pattern = new RegExp(argument ?? "", "i");
      return (value) => pattern.test(value);
    }
    default:
      throw new Error(`The route constraint "${text}" is not known.`);
  }
}

function isInt(value: string): boolean {
  return /^[+-]?\d+$/.test(value) && Number(value) <= maxInt && Number(value) >= minInt;
}

function requireNumbers(text: string, numbers: number[], constraint: Constraint): Constraint {
  if (!numbers.every((number) => Number.isInteger(number) && number >= 0)) {
    throw new Error(`The route constraint "${text}" needs whole numbers.`);
  }
  return constraint;
}
