// What a log and its witnesses sign: keys, notes, checkpoints, proofs (C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-proof).

const LOG = 1, WITNESS = 4;
/** The order of the field, and y of the points of order 1, 2, 4 and 8, big-endian: under such a key signatures verify that nobody made. */
const PRIME = `7f${'ff'.repeat(30)}ed`;
const SMALL_ORDER = [
  `${'00'.repeat(31)}01`, `7f${'ff'.repeat(30)}ec`, '00'.repeat(32),
  '05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826', '7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7',
];

function isUsable(point) {
  const y = Uint8Array.from(point).reverse();
  y[0] &= 0x7f;
  return point.length === 32 && hex(y) < PRIME && !SMALL_ORDER.includes(hex(y));
}

const isLine = (text) => /^[^\0-\x1f]+$/.test(text) && utf8(text) !== null;
const isKeyName = (text) => isLine(text) && !/[+\p{White_Space}]/u.test(utf8(text));

/** Reads `name+id+base64`. @returns {Promise<object|null>} `null` for anything else, and for keys that must not be used */
async function readKey(text) {
  const [, name, id, material] = text.length <= 1024 && text.match(/^([^+]+)\+([0-9a-f]{8})\+([^]+)$/) || [];
  const bytes = material && unbase64(material);
  if (!bytes || !isKeyName(name) || hex((await sha256(name, '\n', bytes)).subarray(0, 4)) !== id) return null;
  const [kind, ...point] = bytes;
  return isUsable(point) ? { name, id, kind, point: Uint8Array.from(point) } : null;
}

/** Reads a text, an empty line, and lines of signatures; `null` for any other form. */
function readNote(note) {
  const end = note.lastIndexOf('\n\n'), text = note.slice(0, end + 1), lines = linesOf(note.slice(end + 2));
  if (note.length > 1e6 || end < 0 || !/^[^\0-\x09\x0b-\x1f]+$/.test(text) || utf8(text) === null) return null;
  if (!lines?.length || lines.length > 100) return null;
  const signatures = [];
  for (const line of lines) {
    // An em dash in UTF-8.
    const [, name, material] = line.match(/^\xe2\x80\x94 ([^ ]+) ([^ ]+)$/) ?? [];
    const bytes = material && unbase64(material);
    if (!bytes || bytes.length <= 4 || !isKeyName(name)) return null;
    signatures.push({ name, id: hex(bytes.subarray(0, 4)), bytes: bytes.subarray(4) });
  }
  return { text, signatures };
}

/** Reads what is signed: the log's origin, its size and root, and lines that mean nothing to us; `null` for any other form. */
function readCheckpoint(text) {
  const [origin, digits, base64, ...more] = linesOf(text) ?? [];
  if (!base64 || !isLine(origin) || !more.every(isLine)) return null;
  const size = decimal(digits), root = unbase64(base64);
  return size !== null && root?.length === 32 ? { origin, size, root } : null;
}

/** Reads `c2sp.org/tlog-proof@v1`. */
function readProof(text, place) {
  const end = text.indexOf('\n\n'), lines = text.slice(0, end).split('\n');
  const isForm = (holds) => mustRead(holds, 'form', place);
  isForm(end > 0 && lines.shift() === 'c2sp.org/tlog-proof@v1');
  const extra = lines[0]?.startsWith('extra ') ? unbase64(lines.shift().slice(6)) : null;
  const index = lines[0]?.startsWith('index ') ? decimal(lines.shift().slice(6)) : null;
  const hashes = lines.map(unbase64), note = readNote(text.slice(end + 2)), checkpoint = note && readCheckpoint(note.text);
  // The salt.
  isForm(extra?.length === 32 && index !== null && hashes.length <= 64 && hashes.every((each) => each?.length === 32) && checkpoint);
  return { extra, index, hashes, note, checkpoint };
}

/** Verifies one signature line by the key that it names. @returns {Promise<number|null>} when a witness signed, 0 for a log */
async function verifySignature(key, { bytes }, text) {
  let signature = bytes, message = bytesOf(text), seconds = 0n;
  if (key.kind === WITNESS) {
    if (bytes.length !== 72) return null;
    seconds = BigInt(`0x${hex(bytes.subarray(0, 8))}`);
    signature = bytes.subarray(8);
    message = join(`cosignature/v1\ntime ${seconds}\n`, message);
  }
  if (signature.length !== 64 || seconds >= 1n << 63n) return null;
  key.public ??= await crypto.subtle.importKey('raw', key.point, 'Ed25519', false, ['verify']);
  return await crypto.subtle.verify('Ed25519', key.public, signature, message) ? Number(seconds) : null;
}

/** The root to which a proof leads (RFC 9162 §2.1.3.2); `null` if it is longer or shorter than that of such a leaf. */
async function rootOf(leaf, { index, hashes, checkpoint }) {
  let position = index, last = checkpoint.size - 1n, root = leaf;
  if (index >= checkpoint.size) return null;
  for (const hash of hashes) {
    if (last === 0n) return null;
    const isRight = position & 1n || position === last;
    root = isRight ? await sha256('\x01', hash, root) : await sha256('\x01', root, hash);
    while (isRight && !(position & 1n) && position > 0n) {
      position >>= 1n;
      last >>= 1n;
    }
    position >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? root : null;
}
