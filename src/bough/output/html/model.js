// The tree as arrays in preorder, made from the data in the page without recursion, and what its nodes say.
const D = JSON.parse($('data').textContent), { tree: T, columns: COLUMNS, classes: CLASSES, data: GIVEN, target: TARGET, criterion: CRITERION } = D, REG = !CLASSES, K = REG ? 1 : CLASSES.length, COUNT = T.k.length;
const KINDS = { '.': 'leaf', a: 'axis', l: 'linear', s: 'subset', m: 'multiway' };
const sizes = new Ints(COUNT).fill(1), parents = new Ints(COUNT).fill(-1), depths = new Ints(COUNT), place = new Ints(COUNT), at = new Ints(COUNT);
const R = new Floats(COUNT), W = new Floats(COUNT * K), MEAN = new Floats(COUNT), VAR = new Floats(COUNT), SLOTS = REG ? 2 : K, seen = GIVEN ? new Floats(COUNT * SLOTS) : null;
const weights = i => W.subarray(i * K, i * K + K);
const seenOf = i => seen.subarray(i * SLOTS, (i + 1) * SLOTS);
{
  // Rows come to a node: their number, weights, mean and spread.
  const add = (p, n, w, mean, spread) => {
    R[p] += n;
    if (REG) {
      const d = mean - MEAN[p], part = d * w / (W[p] + w || 1);
      VAR[p] += w * spread + part * d * W[p];
      MEAN[p] += part; W[p] += w;
    } else w.forEach((x, k) => { W[p * K + k] += x; });
  };
  const stack = [];
  let leaf = 0, split = 0;
  for (let i = 0; i < COUNT; i++) {
    while (stack.length && !stack[stack.length - 1][1]) stack.pop();
    if (stack.length) { const top = stack[stack.length - 1]; top[1]--; parents[i] = top[0]; depths[i] = depths[top[0]] + 1; place[i] = top[2]++; }
    const k = T.k[i];
    at[i] = k === '.' ? leaf++ : split++;
    if (k !== '.') stack.push([i, k === 'm' ? T.s[at[i]][2].length : 2, 0]);
  }
  for (let i = COUNT - 1; i >= 0; i--) {
    const p = parents[i];
    if (T.k[i] === '.') {
      const w = T.w[at[i]];
      R[i] = T.n[at[i]];
      if (REG) { W[i] = w; MEAN[i] = T.m[at[i]]; VAR[i] = T.v[at[i]]; } else for (let j = 0; j < w.length; j += 2) W[i * K + w[j]] = w[j + 1];
      if (seen) { const t = GIVEN.t[at[i]]; if (REG) { seen[2 * i] = t[0]; seen[2 * i + 1] = t[1]; } else for (let j = 0; j < t.length; j += 2) seen[i * K + t[j]] = t[j + 1]; }
    } else {
      if (T.y?.[i]) add(i, ...T.y[i]); // rows that end here
      if (T.M) { MEAN[i] = T.M[at[i]]; VAR[i] = T.V[at[i]]; } else if (REG) VAR[i] /= W[i] || 1;
      if (T.r) R[i] = T.r[at[i]];
    }
    if (p < 0) continue;
    sizes[p] += sizes[i];
    add(p, R[i], REG ? W[i] : weights(i), MEAN[i], VAR[i]);
    if (seen) seenOf(i).forEach((x, k) => { seen[p * SLOTS + k] += x; });
  }
}
// Linear leaves: [text, offset, [column, slope, center] of each line, low, high]. A missing value adds nothing.
const LINE = i => T.l && T.l[at[i]];
function predictedAt(i, row) {
  if (!LINE(i)) return MEAN[i];
  const [, offset, lines, low, high] = LINE(i), known = c => row[c] !== null && (row[c] >= 0 || !COLUMNS[c].v);
  return min(max(lines.reduce((s, [c, slope, center]) => known(c) ? s + slope * (row[c] - center) : s, offset), low), high);
}
const LEVELS = depths.reduce((a, b) => max(a, b), 0), LEAVES = T.n.length;
const isLeaf = i => T.k[i] === '.';
function kids(i) {
  const out = [];
  if (!isLeaf(i)) for (let c = i + 1, n = T.k[i] === 'm' ? T.s[at[i]][2].length : 2; n--; c += sizes[c]) out.push(c);
  return out;
}
const pathTo = i => { const p = [i]; while (parents[i] >= 0) p.push(i = parents[i]); return p.reverse(); };
const name = c => COLUMNS[c].n;
// A category as conditions name it, in quotes where it could be taken for something else.
const quoted = t => /[,<>=≤≥{}'"]|^\s|\s$|^$|^missing$/.test(t) ? `“${t}”` : t;
const value = (c, v) => COLUMNS[c].v[v] === null ? 'missing' : quoted(COLUMNS[c].v[v]);
// Is a column of dates, times or durations? Its numbers are days, which are written as what they stand for.
const isMoment = c => /^da|^du/.test(COLUMNS[c]?.k);
function cell(c, x, d = 6) {
  if (!isMoment(c) || x == null) return num(x, d);
  if (COLUMNS[c].k === 'duration') return num(x, d) + ' days';
  const t = new Date(round(x * 864e5)).toISOString();
  return t.slice(0, 10) + (d > 5 && !t.endsWith('T00:00:00.000Z') ? ' ' + t.slice(11, t.endsWith(':00.000Z') ? 16 : 19) : '');
}
const given = i => !seen ? 0 : REG ? seen[2 * i] : sum(seenOf(i));
// The rows that the report was made from, as training rows or test rows.
const SET = GIVEN?.train ? 'training' : 'test', shownRows = n => rows(n).replace(/rows?$/, `${SET} $&`);
const share = (i, k) => weights(i)[k] / (sum(weights(i)) || 1);
const answer = i => T.a ? T.a[i] : highest(weights(i));
// Criteria of numbers other than squares have a loss of their own; only that of absolute errors is a distance.
const LOSS = { absolute_error: 'mean absolute error', quantile: 'mean pinball loss', poisson: 'half the mean deviance' }[CRITERION], ABS = CRITERION === 'absolute_error';
const CENTER = { absolute_error: 'median', quantile: 'quantile' }[CRITERION] || 'mean';
const sd = i => LOSS ? max(0, VAR[i]) : sqrt(max(0, VAR[i])), around = i => LOSS && !ABS ? '' : ' ± ' + num(sd(i), 2);
const klass = k => 'k' + (TOP.has(k) ? TOP.get(k) : 7), swatch = k => el('i', 'sw ' + klass(k));
// Colours for the seven largest classes, one grey for the rest.
const TOP = new Map([...weights(0)].map((w, k) => [w, k]).sort((a, b) => b[0] - a[0]).slice(0, K > 8 ? 7 : 8).map(x => x[1]).sort((a, b) => a - b).map((k, j) => [k, j]));
const detail = i => GIVEN?.h[i] || {};

// The split of a node: col, cut, missing (child of a row without a value), saw (such rows were there), cols and w, or groups of codes, of which an ordered column has a cut too.
const splits = new Map(), bound = x => x === 'inf' ? Infinity : x;
function split(i) {
  let s = splits.get(i);
  if (s) return s;
  const r = T.s[at[i]], k = KINDS[T.k[i]];
  s = { k };
  if (k === 'axis') Object.assign(s, { col: r[0], cut: bound(r[1]), missing: r[2] & 1, saw: r[2] & 2 });
  else if (k === 'linear') {
    const size = j => r[3][j].map ? sqrt(sum(r[3][j].map(q => q[1] * q[1]))) : abs(r[3][j]), order = r[2].map((_, j) => j).sort((a, b) => size(b) * spread(r[2][b]) - size(a) * spread(r[2][a]));
    let cut = r[0];
    r[2].forEach((c, j) => { if (!r[3][j].map) cut += r[3][j] * (COLUMNS[c].c || 0); });
    // A nominal column has a score for each value, [code, score], and weight 1.
    Object.assign(s, { raw: r, cut, missing: r[1] & 1, saw: r[1] & 2, cols: order.map(j => r[2][j]), w: order.map(j => r[3][j].map ? 1 : r[3][j]), scores: order.map(j => r[3][j].map ? r[3][j] : null) });
  } else if (k === 'subset') Object.assign(s, { col: r[0], other: r[1], groups: [r[2], r[3]], named: r[2].length <= r[3].length ? 0 : 1, cut: bound(r[4]), missing: r[1], saw: r[5] });
  else Object.assign(s, { col: r[0], other: r[1], groups: r[2].map(v => [v]) });
  splits.set(i, s);
  return s;
}
const spread = c => COLUMNS[c].s || 1;
const isCut = s => s.cut !== undefined;
const cutOf = i => split(i).groups ? value(split(i).col, split(i).cut) : T.c?.[i]?.[0] || num(split(i).cut, 6);
const isOpen = i => T.c?.[i]?.[1]; // the cut itself is on its right
const sideText = (i, k) => split(i).cut === Infinity ? (k ? 'is missing' : 'is known') : COLUMNS[split(i).col]?.k === 'boolean' ? 'is ' + (k ? 'true' : 'false') : (isOpen(i) ? (k ? '≥ ' : '< ') : k ? '> ' : '≤ ') + cutOf(i);
const names = (i, k) => split(i).groups[k].map(v => value(split(i).col, v));
// What is true of the rows of a child, as [what, how].
function condition(i, k, most = 99) {
  const s = split(i), gap = s.saw && s.missing === k && s.cut !== Infinity ? ' or missing' : '';
  if (isCut(s)) return [s.cols ? `sum of ${s.cols.length} columns at node ${i}` : name(s.col), sideText(i, k) + gap];
  const v = names(i, k);
  return [name(s.col), 'is ' + (v.length > most ? v.slice(0, most).join(', ') + ` or ${v.length - most} more` : list(v))];
}
function branch(i, k, w = 70) {
  const s = split(i);
  if (isCut(s)) return sideText(i, k) + (s.saw && s.missing === k && s.cut !== Infinity ? ' or missing' : '');
  const v = names(i, k).join(', ');
  if (s.k === 'multiway' || wide(v, 11) <= w) return v;
  const n = s.groups[k].length;
  return w < 100 ? n + (k === s.named ? ' values' : ' others') : `one of ${k === s.named ? `these ${n} values` : `${n} other values`}`;
}
function question(i) {
  if (isLeaf(i)) return REG ? LINE(i) ? LINE(i)[0] : num(MEAN[i]) : CLASSES[answer(i)];
  const s = split(i);
  if (s.k === 'multiway') return `${name(s.col)}: a branch for each of ${s.groups.length} values`;
  if (s.k === 'linear') return `A weighted sum of ${s.cols.length} columns ${sideText(i, 0)}`;
  if (isCut(s)) return name(s.col) + ' ' + sideText(i, 0);
  return condition(i, s.named, names(i, s.named).length > 5 ? 4 : 5).join(' ');
}
const byNode = i => parents[i] < 0 ? '' : condition(parents[i], place[i], 4).join(' ');
function spoken(i) {
  const a = REG ? CENTER + ' ' + num(MEAN[i]) : `${CLASSES[answer(i)]} ${pct(share(i, answer(i)))}`;
  return `${i ? 'if ' + byNode(i) + ': ' : ''}${isLeaf(i) ? 'leaf, ' : question(i) + '; '}${a}, ${rows(R[i])}`;
}
// The nodes that a row comes to with its share there, which is 1 unless rows are shared, and those where it ends, the largest share first.
function reach(row) {
  const parts = new Map([[0, 1]]), ends = [];
  for (const [i, p] of parts) {
    const k = isLeaf(i) ? -1 : side(i, row), c = kids(i);
    if (k < 0) ends.push([i, p]); else if (k < c.length) parts.set(c[k], p); else T.q[at[i]].forEach((q, j) => q && parts.set(c[j], p * q));
  }
  return [parts, ends.sort((a, b) => b[1] - a[1])];
}
// The child of a row; −1: it stops here, Infinity: it is shared. Values: numbers, or numbers of values (−1: not seen before), null: missing.
function side(i, row) {
  const s = split(i), x = s.cols ? along(i, row) : row[s.col];
  const k = s.groups ? s.groups.findIndex(g => g.includes(x === null ? COLUMNS[s.col].v.indexOf(null) : x)) : x === null ? -1 : x <= (s.raw ? s.raw[0] : s.cut) ? 0 : 1;
  return k < 0 ? standIn(i, row) : k;
}
// Where a row without a value goes: as the first surrogate says that knows its own, else one way.
function standIn(i, row) {
  const s = split(i);
  if (T.q) return Infinity;
  for (const [c, a, b] of T.u?.[i] || []) {
    const x = row[c];
    if (x === null) continue;
    if (!a.includes) return x <= a === b ? 0 : 1;
    if (a.includes(x)) return 0;
    if (b.includes(x)) return 1;
  }
  return T.y?.[i] ? -1 : s.groups ? s.other : s.missing;
}
function along(i, row) {
  const [, flags, cols, w] = split(i).raw; // 4: a missing number counts as the column's center
  const l = new Floats(8);
  let at = 0;
  for (let j = 0; j < cols.length; j++) {
    const C = COLUMNS[cols[j]], x = row[cols[j]];
    if (w[j].map) {
      const own = x === null ? C.v.indexOf(null) : x;
      for (const [v, q] of w[j]) l[at++ % 8] += v === own ? q : 0;
      continue;
    }
    const lane = at++ % 8;
    if (x === null || C.v && C.v[x] == null) { if (flags & 4) continue; return null; } // of an order: missing, or not in it
    l[lane] += w[j] * (x - (C.c || 0));
  }
  return l[0] + l[4] + (l[2] + l[6]) + (l[1] + l[5] + (l[3] + l[7]));
}
// Conditions on the way to a node: bounds of one number and groups of one column become one.
function conditionsOf(i) {
  const out = [], by = new Map(), path = pathTo(i);
  for (let j = 0; j + 1 < path.length; j++) {
    const p = path[j], s = split(p), k = place[path[j + 1]];
    if (s.k === 'linear' || s.cut === Infinity || COLUMNS[s.col].k === 'boolean') { out.push({ p, k }); continue; }
    let c = by.get(s.col);
    if (!c) { c = { col: s.col, lo: null, hi: null, gap: true, v: null }; by.set(s.col, c); out.push(c); }
    if (isCut(s)) { k ? c.lo = p : c.hi = p; c.gap = c.gap && s.saw && s.missing === k; }
    else { const v = names(p, k); c.v = c.v ? c.v.filter(x => v.includes(x)) : v; }
  }
  return out.map(c => {
    if (c.p !== undefined) return condition(c.p, c.k);
    if (c.v) return [name(c.col), 'is ' + list(c.v)];
    const gap = c.gap ? ' or missing' : '';
    return [name(c.col), [c.lo !== null && (isOpen(c.lo) ? 'at least ' : 'above ') + cutOf(c.lo), c.hi !== null && (isOpen(c.hi) ? 'below ' : 'at most ') + cutOf(c.hi)].filter(Boolean).join(' and ') + gap];
  });
}
