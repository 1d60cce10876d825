/** An app whose process ends while it loads. */
process.exit(7);
