// The evidence of a verdict: that it is the one that was logged, and that the level follows from its checks (SPEC §3, §10.4).

const STATUSES = ['pass', 'fail', 'inconclusive', 'unavailable'];

/** The rules that are known here: other versions may judge otherwise. */
const RULES = ['1', 'confidence-1', 'confidence-video-1'];

/** SPEC §3, and of videos that are stored §10.4. */
function confidenceOf(statuses, chain) {
  if ([...statuses, chain].includes('fail')) return 'suspicious';
  const passed = statuses.slice(0, 2).filter((each) => each === 'pass').length;
  return passed === 2 && chain !== 'pass' ? 'medium' : ['low', 'medium', 'high'][passed];
}

async function verifyEvidence({ verdict, evidence, place }) {
  const named = `${place}evidence.json`;
  mustHold(hex(await sha256(evidence)) === verdict.evidence, 'evidence', named);
  let value;
  try {
    const text = utf8(textOf(evidence)), read = JSON.parse(text);
    // As the command line: no more than 30 combining marks in a row.
    if (!hasNameTwice(text) && !/\p{M}{31}/u.test(JSON.stringify(read))) value = read;
  } catch { /* not JSON */ }
  const { hardware_attestation: hardware, depth_analysis: depth, metadata, hash_chain: chain, algorithm_versions: versions } = value ?? {};
  const details = ['timestamp', 'model', 'resolution', 'location'].map((name) => metadata?.[name]);
  const statuses = [hardware, depth, ...details].map((each) => each?.status);
  mustHold(statuses.every((each) => STATUSES.includes(each)) && VERDICT.algorithms(versions), 'evidence', named);
  const isStored = verdict.mode === 'full';
  mustHold(value.type === verdict.media_type && (value.media_stored === true) === isStored, 'evidence', named);
  mustHold(canonical(versions) === canonical(verdict.algorithms), 'algorithms', named);
  const computed = confidenceOf(statuses, isStored && value.type === 'video' ? chain?.status : 'pass');
  mustHold(!RULES.includes(versions.confidence) || computed === verdict.confidence, 'confidence', `${place}statement.json`);
  return value;
}
