/** Translates failures of the queue SDK to the port's failures. */
import { RestError } from "@azure/storage-queue";
import { QueueError, type QueueFailure } from "../ports.ts";

/** Returns whether an operation failed because the queue does not exist. */
export function isQueueMissing(error: unknown): boolean {
  return error instanceof RestError && error.code === "QueueNotFound";
}

/** Returns the port's failure. Everything that is not a response of the service has an unknown outcome. */
export function toQueueError(operation: string, error: unknown): QueueError {
  if (!(error instanceof RestError))
    return new QueueError("unknown", `queue ${operation}: no response`, error);
  return new QueueError(failureOf(error), `queue ${operation}: ${error.code ?? error.statusCode}`, error);
}

function failureOf({ code, statusCode }: RestError): QueueFailure {
  if (code === "PopReceiptMismatch") return "receipt-stale";
  if (code === "MessageNotFound" || code === "QueueNotFound") return "message-gone";
  return statusCode === 400 || statusCode === 413 ? "refused" : "unknown";
}
