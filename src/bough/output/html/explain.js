// Why a row gets its prediction: what each column contributes, and what would have to change for another one.
const said = (i, k) => REG ? MEAN[i] : share(i, k), total = i => REG ? W[i] : sum(weights(i)), LINEAR = T.k.includes('l');
const askedBy = i => split(i).cols || [split(i).col], ASKED = [...new Set([...T.k].flatMap((k, i) => k === '.' ? [] : askedBy(i)))];
// The share of a row that takes each branch if the column is known (o), and if it is not (z); null: another column stands in.
function shares(i, row) {
  const s = split(i), c = kids(i), k = side(i, row), n = sum(c.map(total));
  if (T.u && !s.cols && (s.groups ? !s.groups.some(g => g.includes(row[s.col] ?? COLUMNS[s.col].v.indexOf(null))) : row[s.col] === null)) return null;
  return k < 0 || !n || T.y?.[i] ? null : c.map((j, a) => [j, k === Infinity ? T.q[at[i]][a] : +(a === k), total(j) / n]);
}
// Points and weights that integrate polynomials of degree 2n − 1 from 0 to 1 (Gauss, Legendre).
function quadrature(n) {
  const out = [];
  for (let i = 0; i < n; i++) {
    let x = Math.cos(Math.PI * (i + .75) / (n + .5)), d = 1;
    for (let t = 0; t < 60; t++) {
      let p = 1, q = 0;
      for (let j = 0; j < n; j++) [p, q] = [((2 * j + 1) * x * p - j * q) / (j + 1), p];
      d = n * (x * p - q) / (x * x - 1);
      x -= p / d;
    }
    out.push([(1 + x) / 2, 1 / ((1 - x * x) * d * d)]);
  }
  return out;
}
// Shapley values of the columns, by the weights of branches, and what is predicted of no row; null where that takes too long.
function contributions(row, k) {
  const phi = new Map(ASKED.map(c => [c, 0])), gain = (c, x) => phi.set(c, phi.get(c) + x);
  let base = 0;
  if (!LINEAR) {
    const Q = quadrature(max(1, ceil(min(LEVELS, ASKED.length) / 2))), stack = [[0, [], 1]];
    while (stack.length) {
      const [i, path, reached] = stack.pop();
      if (!isLeaf(i)) {
        const c = split(i).col, before = path.find(p => p[0] === c) || [c, 1, 1], rest = path.filter(p => p[0] !== c), to = shares(i, row);
        if (!to) return null;
        for (const [j, o, z] of to) if (o * before[1] || z * before[2]) stack.push([j, [...rest, [c, o * before[1], z * before[2]]], reached * z]);
        continue;
      }
      const v = said(i, k);
      base += reached * v;
      for (const [t, w] of Q) {
        let all = w * v;
        for (const [, o, z] of path) all *= z + t * (o - z);
        for (const [c, o, z] of path) gain(c, all * (o - z) / (z + t * (o - z)));
      }
    }
    return [base, phi];
  }
  const n = ASKED.length, of = new Floats(1 << min(n, 10)), bit = new Map(ASKED.map((c, j) => [c, 1 << j]));
  if (n > 10 || COUNT > 500) return null;
  for (let S = 0; S < of.length; S++) {
    const parts = [[0, 1]];
    for (const [i, p] of parts) {
      if (isLeaf(i)) { of[S] += p * said(i, k); continue; }
      const known = askedBy(i).every(c => S & bit.get(c)), to = shares(i, row);
      if (!to) return null;
      for (const [j, o, z] of to) if (p * (known ? o : z)) parts.push([j, p * (known ? o : z)]);
    }
  }
  const weight = [1 / n];
  for (let s = 1; s < n; s++) weight.push(weight[s - 1] * s / (n - s));
  for (let S = 0; S < of.length; S++) {
    const s = [...S.toString(2)].filter(b => b === '1').length;
    ASKED.forEach((c, j) => { if (!(S >> j & 1)) gain(c, weight[s] * (of[S | 1 << j] - of[S])); });
  }
  return [of[0], phi];
}
const has = (c, row) => COLUMNS[c].v ? row[c] === -1 ? 'another value' : row[c] === null ? 'missing' : value(c, row[c]) : row[c] === null ? 'missing' : cell(c, row[c]);
function waterfall(row, k) {
  if (T.l) return null;
  const found = contributions(row, k);
  if (!found) return LINEAR && section('What each column contributes', null, el('p', 'sub', 'This tree has linear splits over many columns; tree.contributions(X, background) explains its predictions.'));
  const [base, phi] = found, order = [...phi].filter(a => a[1]).sort((a, b) => abs(b[1]) - abs(a[1])), own = order.slice(0, order.length > 9 ? 8 : 9), rest = order.slice(own.length);
  const lines = own.map(([c, x]) => { const v = ' = ' + cutText(has(c, row), 84, 11); return [cutText(name(c), 152 - wide(v, 11), 11) + v, x]; });
  if (rest.length) lines.push([`${rest.length} other columns`, sum(rest.map(a => a[1]))]);
  const end = base + sum(lines.map(a => a[1])), at_ = [base];
  for (const [, x] of lines) at_.push(at_[at_.length - 1] + x);
  const lo = min(...at_), hi = max(...at_), l = 166, w = 140, X = v => l + w * (v - lo) / (hi - lo || 1), H = 22 * (lines.length + 2) + 4, f = v => REG ? num(v) : pct(min(1, max(0, v)));
  const S = frame(H, 'What each column contributes'), row_ = (j, t) => text('lab', 158, 22 * j + 15, 'end', t), dot = (j, v) => [sv('circle', { class: 'dot', cx: X(v), cy: 22 * j + 11, r: 4 }), text('lab', X(v) + 9, 22 * j + 15, null, f(v))];
  add(S, [sv('pattern', { id: 'hatch', width: 4, height: 4, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' }, rect('inkf', 0, 0, 2, 4)), row_(0, REG ? 'mean' : 'all rows'), dot(0, base), lines.map(([t, x], j) => {
    const a = X(at_[j]), b = X(at_[j + 1]), y = 22 * (j + 1) + 4, bar_ = sv('rect', { class: 'step', x: min(a, b), y, width: max(1, abs(b - a)), height: 14, fill: x < 0 ? 'url(#hatch)' : 'currentColor' });
    return [row_(j + 1, t), line('base', a, y - 11, a, y + 14), bar_, text('lab', max(a, b) + 5, y + 11, null, REG || abs(x) >= .005 ? (x < 0 ? '−' : '+') + (REG ? num(abs(x), 2) : pct(abs(x))) : pct(abs(x)))];
  }), line('base', X(end), H - 33, X(end), H - 12), row_(lines.length + 1, 'this row'), dot(lines.length + 1, end)]);
  return section('What each column contributes', `${REG ? 'From the mean prediction to that of the row' : `From the share of ${CLASSES[k]} among all rows to that of the row`}: Shapley values, which add up exactly. Hatched bars lower it.${LINEAR ? ' A linear split is answered once all of its columns are known, so they share alike.' : ''}`, S);
}

// ---- what would have to change -----------------------------------------------------------------------------
let wish = null;
// The next number above.
function above_(x) {
  if (!x) return Number.MIN_VALUE;
  const f = new Floats([x]), b = new BigInt64Array(f.buffer);
  b[0] += x > 0 ? 1n : -1n;
  return f[0];
}
// The nearest row in a leaf, as [column, value, words, distance] of each change; null where there is none.
function nearest(i, row) {
  const path = pathTo(i), by = new Map();
  for (let j = 0; j + 1 < path.length; j++) {
    const p = path[j], s = split(p), k = place[path[j + 1]];
    if (s.cols) return null;
    let b = by.get(s.col);
    if (!b) by.set(s.col, b = { lo: -Infinity, hi: Infinity, ok: true });
    b.ok = b.ok && side(p, row) === k;
    if (s.groups) b.v = b.v ? b.v.filter(v => s.groups[k].includes(v)) : s.groups[k];
    else if (s.cut === Infinity) { if (k) b.hi = -Infinity; } else if (k) { if (s.cut > b.lo) { b.lo = s.cut; b.from = p; } } else if (s.cut < b.hi) { b.hi = s.cut; b.to = p; }
  }
  const out = [];
  for (const [c, b] of by) {
    if (b.ok) continue;
    const C = COLUMNS[c], x = row[c];
    if (b.v) {
      const v = b.v.filter(v => C.v[v] !== null);
      if (!v.length) return null;
      out.push([c, v[0], list(v.length > 4 ? [...v.slice(0, 3).map(a => value(c, a)), `one of ${v.length - 3} others`] : v.map(a => value(c, a))), 1]);
      continue;
    }
    const first = C.whole ? floor(b.lo) + 1 : b.lo === -Infinity ? b.lo : above_(b.lo), last = C.whole ? floor(b.hi) : b.hi;
    if (!(first <= last) || last === -Infinity) return null; // only rows without a value are there
    const up = x !== null && x < first, to = x === null ? first === -Infinity ? min(last, C.d ?? 0) : last === Infinity ? first : C.whole ? floor((first + last) / 2) : (first + last) / 2 : up ? first : last;
    const flag = C.k === 'boolean', words = flag ? String(!!to) : x === null ? cell(c, to) : C.whole ? (up ? 'at least ' : 'at most ') + cell(c, to, 9) : up ? (isOpen(b.from) ? 'at least ' : 'more than ') + cutOf(b.from) : (isOpen(b.to) ? 'less than ' : 'at most ') + cutOf(b.to);
    out.push([c, to, words, x === null || flag ? 1 : abs(to - x) / (C.sd || spread(c))]);
  }
  return out;
}
function changes(row, right) {
  const found = [], taken = [];
  for (let i = 0; i < COUNT; i++) {
    const c = isLeaf(i) && R[i] && right(i) && nearest(i, row);
    if (c && c.length) found.push([i, c, sum(c.map(a => a[3]))]);
  }
  found.sort((a, b) => a[1].length - b[1].length || a[2] - b[2] || R[b[0]] - R[a[0]]);
  for (const [i, c, far] of found) {
    if (taken.length === 3) break;
    const to = [...row];
    for (const [col, v] of c) to[col] = v;
    const ends = reach(to)[1];
    if (ends.length === 1 && ends[0][0] === i && !taken.some(t => t[1].every(a => c.some(b => b[0] === a[0])))) taken.push([i, c, to, far]);
  }
  return taken;
}
function whyNot(row, k, now) {
  if (T.l) return null;
  const others = REG ? [['more', 'higher'], ['less', 'lower']] : CLASSES.map((c, j) => [j, c]).filter(a => a[0] !== k);
  if (!others.length || T.q && ASKED.some(c => row[c] === null)) return null;
  if (!others.some(a => a[0] === wish)) wish = REG ? 'more' : others.reduce((a, b) => share(sel, b[0]) > share(sel, a[0]) ? b : a)[0];
  const found = changes(row, i => REG ? wish === 'more' ? MEAN[i] > now : MEAN[i] < now : answer(i) === wish);
  const pick = el('select', { 'aria-label': 'Wanted prediction', onchange: e => { wish = REG ? e.target.value : +e.target.value; panel(); } }, others.slice(0, 500).map(([v, t]) => el('option', { value: v, selected: v === wish }, t)));
  return section('What would have to change', LINEAR ? 'Leaves behind linear splits are left out here: tree.why_not(row, wanted) looks there, too.' : 'The fewest columns first, then the smallest change. Choose one to try it.', el('label', 'want', span('for it to be '), pick),
    found.length ? el('ol', 'steps rule', found.map(([i, c, to]) => el('li', null, el('button', { onclick: () => { mine = -1; setRow(to); panel(); } }, 'If ', c.map(([col, , words], j) => [j ? ' and ' : '', bold(name(col)), ` were ${words} instead of ${has(col, row)}`]), REG ? `: ${num(MEAN[i])}, the mean of ${rows(R[i])}` : `: ${CLASSES[answer(i)]}, ${pct(share(i, answer(i)))} of ${rows(R[i])}`)))) : el('p', 'sub', LINEAR ? 'None of the other leaves can be reached.' : 'No change of numbers and values leads there.'));
}
