// Uploads a file with tus-js-client. Prints how far it is after each chunk, then the address.
import { createReadStream } from "node:fs";

import { Upload } from "tus-js-client";

const { ADDRESS, AUTHORIZATION, FILE, CHUNK } = process.env;

const upload = new Upload(createReadStream(FILE), {
  endpoint: ADDRESS,
  chunkSize: Number(CHUNK),
  headers: { authorization: AUTHORIZATION },
  metadata: { filename: "Perché.bin", filetype: "application/octet-stream" },
  uploadDataDuringCreation: true,
  // As long as the service needs to start again.
  retryDelays: Array(300).fill(100),
  onChunkComplete: (_size, offset) => console.log(JSON.stringify({ offset })),
  onSuccess: () => console.log(JSON.stringify({ url: upload.url })),
  onError: (error) => {
    console.error(error);
    process.exit(1);
  },
});

upload.start();
