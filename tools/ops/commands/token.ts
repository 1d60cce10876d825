/** `ops token`: a token for calls with curl. */
import { defineCommand } from "../command.ts";

export const token = defineCommand({
  name: "token",
  summary: "prints a token for calls to /room/... with curl",
  details: ['For example: TOKEN=$(npm run -s ops -- token); curl -H "Authorization: Bearer $TOKEN" …'],
  options: {},
  run: async (_, { terminal, connect }) => {
    const target = await connect();
    terminal.print(await target.accessToken());
    return "ok";
  },
});
