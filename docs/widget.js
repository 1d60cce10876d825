/** Shows the room whose URL stands behind the # of the page's address, as integration.md describes. */
const url = location.hash.slice(1);
const headers = { "x-auth-token": sessionStorage.getItem("agent-token") };
const refusals = {
  401: "Please log in again.",
  403: "You are not in an authorised division.",
  404: "The conversation has ended.",
};
const show = (text) => (document.querySelector("p").textContent = text);
async function openRoom(retries) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  const room = await response?.json().catch(() => undefined);
  if (response?.ok && room?.name) return show(`Join ${room.name} for ${room.tag}`);
  // Another server's 404 says nothing about the room.
  if (response?.headers.has("x-invocation-id") && refusals[response.status])
    return show(refusals[response.status]);
  if (retries === 3) return show("The room cannot be opened.");
  const seconds = Number(response?.headers.get("retry-after")) || 5 * 2 ** retries;
  show(`The room cannot be opened now. Next attempt in ${seconds} s ...`);
  setTimeout(openRoom, seconds * 1000, retries + 1);
}
void openRoom(0);
