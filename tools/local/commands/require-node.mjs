// Plain JavaScript that any Node can read: it says in one line that the Node running the scripts is too old.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `This project runs on Node 24 and found Node ${process.versions.node}: ` +
      "run `npm ci` with install scripts allowed (they fetch node@24 from the package registry), or install Node 24.",
  );
  process.exit(1);
}
