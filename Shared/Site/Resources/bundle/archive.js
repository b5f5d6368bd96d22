// The one form of a ZIP that a bundle has, and the one order of its entries (SPEC §14 "Bundle").

const KIB = 1024, MIB = KIB * KIB, MAXIMUM_BYTES = 256 * MIB;
/** What an owner's bundle has behind the rest, in this order, and the most bytes of each. */
const OWNER = {
  'raw.json': 4 * KIB, 'assertion.cbor': 64 * KIB, 'attestation.cbor': 128 * KIB, 'client-data-hash': 32, 'metadata.json': 64 * KIB,
  'payload.json': 10_000, 'photo.jpg': 20 * MIB, depth: 48 * MIB,
};
const FILE_NAME = /^[a-z0-9][a-z0-9.-]{0,63}$/;

const CRC = Int32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) crc = CRC[(crc ^ bytes[at]) & 255] ^ crc >>> 8;
  return ~crc;
}

/** Little-endian numbers: pairs of length and value. */
function packed(...fields) {
  const bytes = [];
  for (let at = 0; at < fields.length; at += 2) {
    for (let index = 0; index < fields[at]; index++) bytes.push(fields[at + 1] >>> 8 * index & 255);
  }
  return Uint8Array.from(bytes);
}

/**
 * Takes the entries by their local headers alone, then writes all headers and the directory again: whatever else stands in the file,
 * or stands otherwise, is not this form.
 * @returns {[string, Uint8Array][]} names and contents, in order
 */
function readArchive(bytes) {
  const isArchive = (holds) => mustRead(holds, 'archive');
  isArchive(bytes.length <= MAXIMUM_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = [], directory = [];
  let at = 0;
  while (at + 30 <= bytes.length && view.getUint32(at, true) === 0x04034b50) {
    const nameLength = view.getUint16(at + 26, true), start = at + 30 + nameLength, end = start + view.getUint32(at + 22, true);
    isArchive(nameLength > 0 && nameLength <= 128 && end <= bytes.length && entries.length < 4096);
    const name = textOf(bytes.subarray(at + 30, start)), content = bytes.subarray(start, end);
    // Version 10, no flags, stored, 1980-01-01, CRC, both sizes, no extra field.
    const common = packed(2, 10, 2, 0, 2, 0, 2, 0, 2, 0x21, 4, crc32(content), 4, content.length, 4, content.length, 2, nameLength, 2, 0);
    isArchive(isSame(bytes.subarray(at, start), join(packed(4, 0x04034b50), common, name)));
    // Made by version 20; no comment, disk 0, no attributes.
    directory.push(packed(4, 0x02014b50, 2, 20), common, packed(2, 0, 2, 0, 2, 0, 4, 0, 4, at), bytesOf(name));
    entries.push([name, content]);
    at = end;
  }
  const listed = join(...directory), count = entries.length;
  const end = packed(4, 0x06054b50, 2, 0, 2, 0, 2, count, 2, count, 4, listed.length, 4, at, 2, 0);
  isArchive(isSame(bytes.subarray(at), join(listed, end)));
  return entries;
}

/** Takes the entries in the one order in which they may stand. Statements are read as far as it takes to know what belongs to them. */
function readBundle(bytes) {
  const entries = readArchive(bytes);
  const isOrdered = (holds, place) => mustRead(holds, 'names', place);
  const next = (name, limit = 64 * KIB) => {
    if (entries[0]?.[0] !== name) return null;
    mustRead(entries[0][1].length <= limit, 'large', name);
    return entries.shift()[1];
  };
  const required = (name, limit) => {
    const content = next(name, limit);
    isOrdered(content, name);
    return content;
  };
  mustRead(textOf(required('mimetype')) === 'application/vnd.rial.bundle.v1+zip', 'mimetype');
  next('readme.txt');
  next('policy');
  const statements = [], media = new Map(), owner = {};
  for (;;) {
    const place = `${statements.length}/`, named = `${place}statement.json`;
    const content = (statements.length ? next : required)(named, 16 * KIB);
    if (!content) break;
    const statement = readStatement(content, named), proof = `${place}proof.tlog-proof`;
    statements.push({
      ...statement, place, content, evidence: statement.verdict && required(`${place}evidence.json`, 256 * KIB),
      proof: readProof(textOf(required(proof)), proof), hasToken: Boolean(next(`${place}checkpoint.tsr`)),
    });
  }
  const manifest = next('manifest.c2pa', 16 * MIB);
  for (let last = ''; entries[0]?.[0].startsWith('media/');) {
    const place = entries[0][0], name = place.slice(6);
    isOrdered(FILE_NAME.test(name) && name > last, place);
    media.set(name, required(place, 100 * MIB));
    last = name;
  }
  for (const [name, limit] of Object.entries(OWNER)) {
    // What else is the owner's stands behind what opens it; metadata or payload, not both.
    if (name !== 'raw.json' && !owner['raw.json'] || name === 'payload.json' && owner['metadata.json']) continue;
    const content = next(`owner/${name}`, limit);
    if (content) owner[name] = content;
  }
  isOrdered(!entries.length, entries[0]?.[0]);
  mustRead((owner['client-data-hash']?.length ?? 32) === 32, 'form', 'owner/client-data-hash');
  return { statements, manifest, media, owner, raw: owner['raw.json'] && readRaw(owner['raw.json']) };
}
