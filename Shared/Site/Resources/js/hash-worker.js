// Hashes a file off the main thread. In: a File. Out: {done: bytes read} per piece, then {digest}, or {error}.
import { SHA256 } from './sha256.js';

const PIECE = 2 * 1024 * 1024;

onmessage = async ({ data: file }) => {
  try {
    const hash = new SHA256();
    for (let at = 0; at < file.size; at += PIECE) {
      hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
      postMessage({ done: Math.min(at + PIECE, file.size) });
    }
    postMessage({ digest: hash.digest() });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
