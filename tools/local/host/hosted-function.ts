/** One function of the app, as the host reports it. */

export interface HostedFunction {
  readonly name: string;
  readonly trigger: string;
  readonly route?: string;
  readonly methods?: readonly string[];
  readonly schedule?: string;
  readonly queueName?: string;
}
