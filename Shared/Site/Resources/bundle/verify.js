// What a bundle proves (SPEC §14 "Verifying, in this order"), with nothing but the bundle, a policy, and files that the reader gives.

/** A statement made later than it was witnessed is a contradiction; clocks may differ by so many seconds. */
const CLOCKS_DIFFER = 300;

/** Who of the policy signed the checkpoint: the log itself, and witnesses with the earliest times of theirs. */
async function validate({ note, checkpoint }, policy, place) {
  const times = new Map();
  let isSigned = false;
  for (const signature of note.signatures) {
    const key = [...policy.logs, ...policy.witnesses].find((each) => each.name === signature.name && each.id === signature.id);
    if (!key) continue;
    const seconds = await verifySignature(key, signature, note.text);
    mustHold(seconds !== null, 'signature', place);
    if (key.kind === LOG) isSigned ||= key.name === checkpoint.origin;
    else times.set(key, Math.min(seconds, times.get(key) ?? Infinity));
  }
  const cosigners = policy.witnesses.filter((key) => times.has(key)).map((key) => utf8(key.name));
  return { isSigned, cosigners, witnessed: policy.quorum(times) };
}

/** One statement, from its salt to the witnesses. @returns {Promise<object>} where it stands, and its commitment */
async function verifyStatement(statement, policy) {
  const { value, content, proof, place } = statement, named = `${place}proof.tlog-proof`;
  const commitment = hex(await sha256('rial.statement/1\n', proof.extra, content));
  const leaf = `rial.leaf/1\n${value.kind}\n${value.time}\n${value.subject}\n${commitment}\n`;
  const root = await rootOf(await sha256('\0', leaf), proof);
  mustHold(root && isSame(root, proof.checkpoint.root), 'inclusion', named);
  const { origin, size } = proof.checkpoint;
  return { ...value, commitment, origin: utf8(origin), index: proof.index, size, ...await validate(proof, policy, named) };
}

/** Whether what the device sent is of the original that was judged. */
function isOfOriginal({ owner, raw }, { mode, media_type: type, media }) {
  if (mode === 'full') return raw.digests[type] === media;
  try {
    return !owner['payload.json'] || JSON.parse(utf8(textOf(owner['payload.json']))).media_hash.toLowerCase() === media;
  } catch {
    return false;
  }
}

/** What the owner has beside the public, against the digests to which the verdict commits. @returns {Promise<string[]>} what was opened */
async function verifyOwner(bundle, verdict) {
  const { owner, raw } = bundle;
  const lines = Object.keys(raw.digests).sort().map((name) => `${name} ${raw.digests[name]}\n`).join('');
  mustHold(hex(await sha256('rial.raw/1\n', unhex(raw.salt), lines)) === verdict.raw, 'raw', 'owner/raw.json');
  const opened = [];
  for (const [file, content] of Object.entries(owner)) {
    const part = file.split('.')[0];
    if (!RAW_PARTS.includes(part)) continue;
    mustHold(hex(await sha256(content)) === raw.digests[part], 'part', `owner/${file}`);
    opened.push(part);
  }
  mustHold(isOfOriginal(bundle, verdict), 'part', 'owner/raw.json');
  return opened;
}

/** Files of the bundle and of the reader, each of which the verdict must name. @returns {Promise<object[]>} which they are */
async function verifyFiles({ manifest, media }, verdict, files) {
  const inside = [...media, ...manifest ? [['manifest.c2pa', manifest]] : []];
  for (const [name, content] of inside) {
    const isNamed = Object.hasOwn(verdict.files, name) && hex(await sha256(content)) === verdict.files[name];
    mustHold(isNamed, 'media', name === 'manifest.c2pa' ? name : `media/${name}`);
  }
  const given = [];
  for (const file of files) {
    const digest = hex(await sha256(new Uint8Array(await file.arrayBuffer())));
    const as = digest === verdict.media ? 'original' : Object.keys(verdict.files).find((name) => verdict.files[name] === digest);
    mustHold(as, 'file', file.name);
    given.push({ name: file.name, as });
  }
  return [...given, ...Array.from(media.keys(), (name) => ({ name: `media/${name}`, as: name }))];
}

const uncheckedOf = ({ statements, manifest, owner, raw }, verdict, files, policy) => [
  'later', policy.quorum(new Map()) === null && 'witnesses', !RULES.includes(verdict.algorithms.confidence) && 'confidence',
  !files.length && !owner['photo.jpg'] && 'media',
  statements.some((each) => each.hasToken) && 'tokens', (manifest || verdict.manifest) && 'credentials',
  raw ? (owner['assertion.cbor'] || owner['attestation.cbor']) && 'attestation' : 'raw', owner.depth && 'depth',
].filter(Boolean);

/**
 * @param {Uint8Array} bytes the bundle
 * @param {object} policy of `readPolicy`
 * @param {File[]} files that the reader has of this capture
 * @returns {Promise<object>} `outcome`: `proved`; `wrong` if the verdict was taken back; `untrusted`: sound, but not by this policy, and
 *   `finding` says what of it is missing
 * @throws {Finding} if the bundle is `unreadable`, or something is `wrong`
 */
async function verifyBundle(bytes, policy, files = []) {
  const bundle = readBundle(bytes), places = [];
  let missing, at, revocation;
  for (const [index, statement] of bundle.statements.entries()) {
    const { value, place } = statement, first = bundle.statements[0].value, named = `${place}statement.json`;
    const standing = await verifyStatement(statement, policy);
    const lack = !standing.isSigned ? 'log' : standing.witnessed === undefined && 'quorum';
    if (lack) missing ??= new Finding('untrusted', lack, standing.origin);
    mustHold(value.sequence === index && value.previous === places.at(-1)?.commitment, 'sequence', named);
    mustHold(value.subject === first.subject && value.capture === first.capture, 'subject', named);
    if (statement.verdict) statement.evidence = await verifyEvidence(statement);
    mustHold((standing.witnessed ?? Infinity) >= value.time - CLOCKS_DIFFER, 'time', named);
    places.push(standing);
    // Anyone can add statements: one for which nobody of the policy vouches takes nothing back, and ends no revocation.
    if (lack && revocation) continue;
    if (statement.verdict) at = index;
    if (!lack) revocation = statement.verdict ? null : standing;
  }
  const { verdict, evidence } = bundle.statements[at];
  const given = await verifyFiles(bundle, verdict, files);
  return {
    outcome: revocation ? 'wrong' : missing ? 'untrusted' : 'proved', finding: missing, revocation, verdict, evidence, statements: places,
    standing: places[at], given, opened: bundle.raw ? await verifyOwner(bundle, verdict) : [],
    unchecked: uncheckedOf(bundle, verdict, given, policy),
  };
}
