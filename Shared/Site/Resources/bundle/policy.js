// Whom the reader trusts: logs, witnesses, and how many of them it takes (C2SP tlog-policy).

const MAXIMUM_LINES = 256;

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<object>} `logs` and `witnesses` with their keys, and `quorum(times)`
 * @throws {Finding} `policy`, also for a key that stands twice or is of small order
 */
async function readPolicy(bytes) {
  const is = (holds) => mustRead(holds, 'policy');
  const text = textOf(bytes), lines = linesOf(text);
  is(bytes.length <= 256 * KIB && lines && !/[\0-\x08\x0b-\x1f\x7f]/.test(text));
  const logs = [], witnesses = [], rules = [], names = new Map(), members = new Set();
  let required, groups = 0;
  const keyOf = async (material, kind) => {
    const key = await readKey(material);
    is(key?.kind === kind && ![...logs, ...witnesses].some((each) => isSame(each.point, key.point)));
    return key;
  };
  const define = (name, rule) => {
    is(!['none', 'all', 'any'].includes(name) && !names.has(name));
    names.set(name, rules.push(rule) - 1);
  };
  for (const line of lines) {
    const [word, ...items] = line.split(/[ \t]+/).filter(Boolean);
    if (!word || word.startsWith('#')) continue;
    if (word === 'log') {
      is((items.length === 1 || items.length === 2) && logs.length < MAXIMUM_LINES);
      logs.push(await keyOf(items[0], LOG));
    } else if (word === 'witness') {
      is((items.length === 2 || items.length === 3) && witnesses.length < MAXIMUM_LINES);
      const key = await keyOf(items[1], WITNESS);
      define(items[0], (times) => times.get(key));
      witnesses.push(key);
    } else if (word === 'group') {
      const [name, threshold, ...listed] = items;
      is(listed.length && groups++ < MAXIMUM_LINES);
      for (const each of listed) is(names.has(each) && !members.has(each) && members.add(each));
      const needed = { all: listed.length, any: 1 }[threshold] ?? Number(decimal(threshold) ?? 0);
      is(needed >= 1 && needed <= listed.length);
      const places = listed.map((each) => names.get(each));
      define(name, (_, met) => places.map((place) => met[place]).filter((time) => time !== undefined).sort((a, b) => a - b)[needed - 1]);
    } else {
      is(word === 'quorum' && items.length === 1 && required === undefined);
      required = items[0] === 'none' ? null : names.get(items[0]);
    }
    is(word !== 'quorum' || required !== undefined);
  }
  is(required !== undefined);
  /** The earliest time by which enough had cosigned: seconds, `undefined` if too few have, `null` if none need to. */
  const quorum = (times) => {
    const met = [];
    for (const rule of rules) met.push(rule(times, met));
    return required === null ? null : met[required];
  };
  return { logs, witnesses, quorum };
}
