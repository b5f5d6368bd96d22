// What the server answered about a file, as content for the page. Nothing from an answer is ever markup: text and same-site paths only.
import { clean, utcTime } from './time.js';

const LEVELS = ['high', 'medium', 'low', 'suspicious'];
const STATES = ['trusted', 'valid', 'invalid', 'unreadable', 'remote'];
/** The title for what the file is of its record, by `matched`. */
const TITLES = {
  original: 'file.found', public_copy: 'file.found.public', c2pa_copy: 'file.found.copy', manifest: 'file.found.manifest',
  thumbnail: 'file.found.thumb', poster: 'file.found.poster', playback_copy: 'file.found.playback', depth_preview: 'file.found.depth',
  depth_frames: 'file.found.depth', share_picture: 'file.found.share',
};

/** A sentence with a foreign word, kept apart so that its direction cannot spill over. */
function fill(element, pattern, name, value) {
  const [before, after = ''] = pattern.split(`{${name}}`);
  const word = document.createElement('bdi');
  word.textContent = clean(value);
  element.replaceChildren(before, word, after);
}

/** The badge of a level, or of one that was taken back; marked if its record is a test. */
function badgeOf(level, standing, part, test) {
  const badge = part(`badge-${standing === 'revoked' ? standing : LEVELS.includes(level) ? level : 'low'}`).firstElementChild;
  if (test) {
    badge.classList.add('test');
    badge.lastElementChild.append(` · ${test}`);
  }
  return badge;
}

function path(address) {
  try {
    const url = new URL(address, location.href);
    return /^\/(verify|v)\//.test(url.pathname) ? url.pathname : '/';
  } catch {
    return '/';
  }
}

function found(data, part) {
  const content = part('found');
  const slot = (name) => content.querySelector(`[data-slot=${name}]`);
  const evidence = data.evidence ?? {}, hardware = evidence.hardware_attestation ?? {}, metadata = evidence.metadata ?? {};
  const test = slot('badge').dataset.test;
  slot('badge').append(badgeOf(data.confidence_level, data.log?.standing, part, hardware.development_attestation && test));
  const title = Object.hasOwn(TITLES, data.matched) ? TITLES[data.matched] : TITLES.original;
  for (const text of slot('title').querySelectorAll('[data-case]')) if (text.dataset.case !== title) text.remove();
  slot('received').textContent = utcTime(evidence.processing?.received_at);
  for (const [name, key, value] of [['place', 'city', metadata.location_coarse], ['device', 'model', hardware.device_model]]) {
    const place = slot(name);
    if (value) {
      fill(place, place.dataset.text, key, value);
      if (!hardware.signature_covers?.includes('metadata')) place.append(` · ${place.dataset.unsigned}`);
    }
    else place.textContent = place.dataset[key === 'city' && metadata.location?.status === 'fail' ? 'fail' : 'none'];
  }
  // Only a video has a chain.
  const checks = [
    hardware, evidence.video && evidence.hash_chain, evidence.depth_analysis, metadata.timestamp, metadata.model, metadata.resolution,
    metadata.location,
  ];
  for (const status of ['pass', 'fail', 'inconclusive', 'unavailable']) {
    const count = checks.filter((check) => check?.status === status).length;
    if (!count) continue;
    const item = part(`tally-${status}`).firstElementChild;
    item.append(count === 1 ? item.dataset.one : item.dataset.text.replace('{n}', count));
    slot('tally').append(item);
  }
  slot('open').href = path(data.verification_url);
  for (const claim of Array.isArray(data.other_claims) ? data.other_claims : []) {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = path(claim.verification_url);
    link.textContent = `${slot('claims').dataset.text} · ${utcTime(claim.uploaded_at)}`;
    item.append(badgeOf(claim.confidence_level, claim.standing, part, claim.development_attestation && test), link);
    slot('claims').append(item);
    slot('others').hidden = false;
  }
  return content;
}

/** Codes come as words or as objects. What a file was made from, a certificate that ran out and a manifest alone are no changed file. */
function caseOf(info) {
  const state = STATES.includes(info.validation_state) ? info.validation_state : 'unreadable';
  const codes = (Array.isArray(info.validation_codes) ? info.validation_codes : []).slice(0, 100);
  const named = codes.map((code) => clean(code?.code ?? code));
  if (state === 'valid' && info.own_signer === true) return ['own', named];
  if (state !== 'invalid') return [state, named];
  if (info.detached === true) return ['detached', named];
  const grave = codes.filter((code) => code?.kind === 'failure' && code.code !== 'signingCredential.untrusted');
  const all = (holds) => grave.length > 0 && grave.every(holds);
  if (all((code) => code.ingredient === true)) return ['ingredient', named];
  if (all((code) => code.code === 'signingCredential.expired' && code.ingredient !== true)) return ['expired', named];
  return [state, named];
}

function host(address) {
  try {
    return new URL(address).host;
  } catch {
    return '?';
  }
}

function foreign(info, part) {
  const [state, codes] = caseOf(info);
  const content = part(`c2-${state}`);
  const sentence = content.querySelector('[data-slot=sentence]');
  if (state === 'remote') fill(sentence, sentence.textContent, 'host', host(info.remote_url));
  else if (sentence.textContent.includes('{issuer}')) {
    fill(sentence, sentence.textContent, 'issuer', info.issuer || sentence.dataset.nobody);
  }
  for (const name of ['title', 'issuer', 'generator', 'signed_at']) {
    const entry = content.querySelector(`.kv [data-slot=${name}]`);
    if (!entry) continue;
    const value = name === 'signed_at' ? utcTime(info.signed_at) : clean(info[name]);
    if (!value) {
      entry.remove();
      continue;
    }
    entry.querySelector('bdi').textContent = value;
    const whole = clean(info[name], 2000);
    if (name === 'signed_at' || whole === value) continue;
    const more = part('whole').firstElementChild;
    more.lastElementChild.textContent = whole;
    entry.lastElementChild.append(more);
  }
  if (!content.querySelector('.kv > div')) content.querySelector('.kv')?.remove();
  const details = content.querySelector('[data-slot=codes]');
  for (const code of codes) {
    const item = document.createElement('li');
    item.append(Object.assign(document.createElement('code'), { textContent: code }));
    details.lastElementChild.append(item);
  }
  if (!codes.length) details.remove();
  return content;
}

/**
 * @param {object} data the `data` of `verify-hash` or `verify-file`
 * @param {(name: string) => DocumentFragment} part a fresh copy of one of the page's templates
 */
export function resultOf(data, part) {
  if (data.status === 'verified') return found(data, part);
  if (data.status === 'c2pa_only') return foreign(data.manifest_info ?? {}, part);
  if (data.status === 'no_record') return part('none');
  throw new TypeError(`unknown status ${data.status}`);
}
