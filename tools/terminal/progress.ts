/** Shows progress: a redrawn bar on a terminal, otherwise one line per step, about twenty at most. */

/** The part of standard output that progress needs. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const width = 30;
const maxLines = 20;

/** Creates a bar of `total` units. Nothing is written before the first `show`. */
export function createProgress(output: Output, label: string, total: number) {
  let shown: number | undefined;
  return {
    /** Shows the amount reached, from 0 to the total. Repeating an amount prints nothing. */
    show(done: number): void {
      if (done === shown) return;
      const isSmallStep = shown !== undefined && Math.abs(done - shown) < total / maxLines;
      if (!output.isTTY && isSmallStep && done < total) return;
      shown = done;
      const filled = total === 0 ? width : Math.round((Math.min(done, total) / total) * width);
      const bar = "#".repeat(filled).padEnd(width, "-");
      if (output.isTTY) output.write(`\r[${bar}] ${String(done).padStart(3)}/${total} ${label}`);
      else output.write(`${done}/${total} ${label}\n`);
    },
    /** Ends the bar's line. */
    end(): void {
      if (output.isTTY && shown !== undefined) output.write("\n");
    },
  };
}
