/** Sends one HTTP request over a kept-alive connection and reads the whole response. */
import { setImmediate } from "node:timers/promises";
import { type Dispatcher, request } from "undici";

/** A response of any status. */
export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Options of undici's `request`: https://undici.nodejs.org/#/docs/api/Dispatcher?id=parameter-requestoptions */
type HttpCallOptions = Parameters<typeof request>[1] & { readonly dispatcher: Dispatcher };

/** Returns the response. Redirects are not followed. Throws the network's error, or the reason of the signal. */
export async function sendHttp(url: string, options: HttpCallOptions): Promise<HttpResponse> {
  const { statusCode, headers, body } = await request(url, options);
  const text = await body.text();
  // undici reuses the connection one turn later. A call sent before that would open another one, with a TLS handshake.
  await setImmediate();
  return { status: statusCode, headers, text };
}
