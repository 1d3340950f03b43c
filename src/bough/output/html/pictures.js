// Small pictures: bars of classes, histograms with their cut, mosaics of values.
const step = s => 'r' + max(0, min(6, floor(s * 6.999)));
const LO = REG ? T.m.reduce((a, b) => min(a, b)) : 0, HI = REG ? T.m.reduce((a, b) => max(a, b)) : 1, RANGE = D.range || [LO, HI];
const meanClass = m => step((m - LO) / (HI - LO || 1));
function errorOf(i) {
  const n = given(i);
  return !n ? 0 : REG ? sqrt(seen[2 * i + 1] / n) / ((LOSS ? sqrt(seen[1] / seen[0]) : sd(0)) || 1) : 1 - seenOf(i)[answer(i)] / n;
}
function colourOf(i) {
  if (colour === 'rows') return step(log(R[i]) / (log(R[0]) || 1));
  if (colour === 'purity') return REG ? step(1 - sd(i) / (sd(0) || 1)) : step((share(i, highest(weights(i))) - 1 / K) / (1 - 1 / K || 1));
  if (colour === 'error') return step(min(1, (REG ? 1 : 2) * errorOf(i)));
  return REG ? meanClass(MEAN[i]) : klass(answer(i));
}
function legend() {
  const L = $('legend');
  L.replaceChildren();
  const ramp = (a, b, t) => L.append(span(t), span(a, el('span', 'ramp', [0, 1, 2, 3, 4, 5, 6].map(i => el('i', 'r' + i))), b));
  if (!REG) {
    for (const k of TOP.keys()) L.append(span(swatch(k), CLASSES[k]));
    if (K > TOP.size) L.append(span(el('i', 'sw k7'), `${K - TOP.size} other classes`));
  } else if (colour === 'class') ramp(num(LO), num(HI), 'mean ' + TARGET);
  if (colour === 'rows') ramp('1', num(R[0], 9), 'Branches: rows');
  if (colour === 'purity') ramp(REG ? 'as wide as all rows' : 'mixed', REG ? 'no spread' : 'pure', 'Branches:');
  if (colour === 'error') ramp('0 %', REG ? 'as wide as all rows' : '50 % or more', `Branches: wrong among the ${SET} rows`);
  L.append(el('span', 'muted', 'Branches are as wide as their rows'));
}
// Weights of classes as [class of colour, weight], the many small ones as one.
function shown(w) {
  const out = [];
  let rest = 0;
  w.forEach((x, k) => { if (TOP.has(k)) { if (x) out.push([klass(k), x, k]); } else rest += x; });
  if (rest) out.push(['k7', rest, -1]);
  return out;
}
const className = k => k < 0 ? `${K - TOP.size} other classes` : CLASSES[k];
function stackBar(w, cls = '') {
  const n = sum(w) || 1, parts = shown(w);
  return el('div', { class: 'stack ' + cls, role: 'img', 'aria-label': parts.map(([, x, k]) => `${className(k)} ${pct(x / n)}`).join(', ') },
    parts.map(([c, x, k]) => el('i', { class: c, title: `${className(k)}: ${num(x, 9)}`, vars: { 'flex-grow': x / n } })));
}
function svgStack(w, x, y, width, h) {
  const n = sum(w) || 1, g = sv('g');
  for (const [c, v] of shown(w)) { const ww = width * v / n; g.append(rect('kf ' + c, x, y, max(ww - .8, .8), h, 1.5)); x += ww; }
  return g;
}
function svgRange(i, x, y, w) {
  const [lo, hi] = RANGE, X = v => x + w * max(0, min(1, (v - lo) / (hi - lo || 1))), m = MEAN[i], s = LOSS && !ABS ? 0 : sd(i);
  return sv('g', null, line('base', x, y, x + w, y), rect('kf ' + meanClass(m), X(m - s), y - 3, max(2, X(m + s) - X(m - s)), 6, 3), sv('circle', { class: 'dot', cx: X(m), cy: y, r: 4 }));
}
function ticks(lo, hi, log) {
  if (log) return [0, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter(t => log1p(t) >= lo - 1e-9 && log1p(t) <= hi);
  const raw = (hi - lo) / 6 || 1, p = 10 ** floor(log10(raw)), st = [1, 2, 5, 10].map(f => f * p).find(f => f >= raw * .999) || 10 * p, out = [];
  for (let t = ceil(lo / st) * st; t <= hi + 1e-9 * (hi - lo) && out.length < 20; t += st) out.push(+(round(t / st) * st).toPrecision(10));
  return out;
}
// A histogram of the rows, by class or coloured by mean, with the cut on an edge.
function bars(i, x0, y0, w, h, o = {}) {
  const { lo, hi, log, c, m } = detail(i).hist, nb = c[0][1].length, g = sv('g'), tot = c[0][1].map((_, b) => sum(c.map(q => q[1][b])));
  const s = [...tot].sort((a, b) => b - a), most = s[0] > 3 * s[1] && s[1] > 0 ? 1.6 * s[1] : s[0] || 1, bw = w / nb, f = log ? log1p : v => v;
  const X = v => x0 + w * max(0, min(1, (f(v) - lo) / (hi - lo || 1))), cx = X(split(i).cut);
  for (let b = 0; b < nb; b++) {
    if (!tot[b]) continue;
    const full = h * min(1, tot[b] / most), left = x0 + b * bw;
    let y = y0 + h;
    for (const [k, q] of c) {
      if (!q[b]) continue;
      const hh = max(full * q[b] / tot[b], .7);
      g.append(rect('kf ' + (m ? meanClass(m[b]) : k === null ? 'r3' : k < 0 ? 'k7' : klass(k)), left + .3, y -= hh, max(bw - .7, .6), hh));
    }
    if (tot[b] > most * 1.001) {
      const yy = y0 + h * .34;
      g.append(sv('path', { class: 'brk', d: `M${left - 2},${yy + 2.5}l${bw + 4},-4M${left - 2},${yy + 6}l${bw + 4},-4` }));
      if (o.big) { const far = b > nb / 2 || cx > left && cx < left + 99; g.append(text('labm', far ? left - 4 : left + bw + 4, y0 + 9, far ? 'end' : null, pct(tot[b] / sum(tot)) + ' of the rows')); }
    }
  }
  g.append(line('base', x0, y0 + h + .5, x0 + w, y0 + h + .5));
  g.append(line('cut', cx, y0 - 4, cx, y0 + h + 4));
  if (typeof o.value === 'number') g.append(mark(X(o.value), y0 + h - 1));
  if (!o.big) return g;
  const A = sv('g', 'axis');
  let last = -99;
  for (const t of ticks(lo, hi, log)) {
    const x = X(t);
    if (x - last < (isMoment(split(i).col) ? 68 : 34) || x < x0 || x > x0 + w) continue;
    last = x;
    A.append(line('base', x, y0 + h, x, y0 + h + 4), text('', x, y0 + h + 15, 'middle', isMoment(split(i).col) ? cell(split(i).col, t, 4) : t >= 10000 ? num(t / 1000, 3) + 'k' : num(t, 4)));
  }
  g.append(A, text('lab tb', max(x0 + 22, min(x0 + w - 22, cx)), y0 - 9, 'middle', cutOf(i)));
  return g;
}
// Values of a node as {v: number of the value, k: child, n: rows, w: by class, m: mean}, in the order in which they are shown.
function focal(i) {
  if (REG) return 0;
  const c = kids(i);
  let best = -1, f = 0;
  for (let k = 0; k < K; k++) { const s = c.map(j => share(j, k)), d = max(...s) - min(...s); if (d > best + 1e-9) { best = d; f = k; } }
  return f;
}
function sortedValues(i) {
  const s = split(i), f = focal(i), h = detail(i).vals || {};
  const all = s.groups.flatMap((g, k) => g.map(v => { const q = h[v]; return { v, k, n: q ? q[0] : 0, m: q && REG ? q[1] : 0, w: q && !REG ? q[1] : null }; }));
  const score = q => REG ? q.m : q.w ? dense(q.w)[f] / q.n : 0;
  return s.k === 'multiway' ? all : all.sort((a, b) => a.k - b.k || (isCut(s) ? a.v - b.v : score(b) - score(a)));
}
const dense = w => { const out = new Array(K).fill(0); for (let j = 0; j < w.length; j += 2) out[w[j]] = w[j + 1]; return out; };
// One column for each value, as wide as its rows, in its classes; the cut lies between the groups.
function mosaic(i, x0, y0, w, h, mine) {
  const s = split(i), v = sortedValues(i).filter(q => q.n).slice(0, 60), g = sv('g'), multi = s.k === 'multiway', gap = multi ? min(4, w / 3 / v.length) : v.length > 40 ? .5 : 1, big = multi ? 0 : 11;
  const room = w - gap * (v.length - 1) - big, n = sum(v.map(q => q.n)) || 1, least = min(2, room / v.length), small = v.filter(q => room * q.n / n < least);
  const free = n - sum(small.map(q => q.n)) || 1, left = room - small.length * least;
  let x = x0, side = v.length ? v[0].k : 0;
  for (const q of v) {
    if (q.k !== side && !multi) { g.append(line('cut', x + big / 2 - .5, y0 - 4, x + big / 2 - .5, y0 + h + 4)); x += big; side = q.k; }
    const ww = room * q.n / n < least ? least : left * q.n / free;
    let y = y0 + h;
    if (!q.w) g.append(rect('kf ' + (REG ? meanClass(q.m) : 'r3'), x, y0, ww, h));
    else for (const [c, m] of shown(dense(q.w))) { const hh = h * m / q.n; g.append(rect('kf ' + c, x, y -= hh, ww, max(hh - .4, .5))); }
    if (mine === q.v) g.append(mark(x + ww / 2, y0 + h - 1));
    x += ww + gap;
  }
  return g;
}
// Where no rows were given: the children by their classes, one above the other.
function children(i, x, y, w, h) {
  const c = kids(i).slice(0, 4), g = sv('g'), hh = min(9, h / c.length - 2), most = max(...c.map(j => R[j]));
  c.forEach((j, n) => { const yy = y + n * (hh + 3), ww = max(4, w * R[j] / most); g.append(REG ? rect('kf ' + meanClass(MEAN[j]), x, yy, ww, hh, 1.5) : svgStack(weights(j), x, yy, ww, hh)); });
  return g;
}
const picture = (i, x, y, w, h, mine) => detail(i).hist ? bars(i, x, y, w, h, { value: mine }) : detail(i).vals ? mosaic(i, x, y, w, h, mine) : children(i, x, y + 2, w, h);
