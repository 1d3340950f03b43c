// What there is to say about the chosen node.
const KIND = { axis: 'one number', linear: 'linear split', subset: 'two groups of values', multiway: 'one branch for each value', leaf: 'leaf' };
let keep = {}, unit = 'std', full = false, finding = false, panelOf = -1, grip = 0;
const section = (title, sub, ...kids) => el('section', null, title && el('h3', null, title), sub && el('p', 'sub', sub), kids);
const bar = (t, v, most, shownText, on, alpha, cls = '') => el('div', { class: `grid3 ${cls}${on ? ' on' : ''}` }, el('span', { title: t }, t), el('div', { class: 'track' + (alpha ? ' alpha' : ''), vars: alpha ? { '--a': alpha } : {} }, el('i', { vars: { width: min(100, 100 * max(0, v) / (most || 1)) + '%' } })), el('span', 'nowrap', shownText));
const more = (t, f) => el('button', { class: 'more', onclick: f }, t);
const all = () => { full = true; panel(); };
const facts = pairs => el('dl', 'facts', pairs.map(([a, b]) => [el('dt', null, a), el('dd', null, b)]));
const frame = (h, label) => sv('svg', { viewBox: `0 0 372 ${h}`, width: '100%', role: 'img', 'aria-label': label });
const table = (head, body) => el('table', null, el('thead', null, el('tr', null, head.map(t => el('th', { scope: 'col' }, t)))), el('tbody', null, body.map(r => el('tr', null, r.map(c => el('td', null, c))))));
function seg(options, now, set, label) {
  return el('div', { class: 'seg small', role: 'group', 'aria-label': label }, options.map(([v, t]) => el('button', { 'aria-pressed': String(v === now), onclick: () => set(v) }, t)));
}
function copyButton(t) {
  const b = el('button', { class: 'btn', onclick: async () => {
    try { await navigator.clipboard.writeText(t()); } catch { const a = el('textarea', null, t()); PAGE.body.append(a); a.select(); PAGE.execCommand('copy'); a.remove(); }
    b.textContent = 'Copied';
    setTimeout(() => { b.textContent = 'Copy'; }, 1200);
  } }, 'Copy');
  return b;
}
function panel() {
  const P = $('panel'), top = panelOf === sel ? P.scrollTop : 0, leaf = isLeaf(sel), path = pathTo(sel);
  P.replaceChildren(el('button', { class: 'handle', 'aria-label': 'Open or close the details', onpointerdown: e => { grip = e.clientY; e.target.setPointerCapture(e.pointerId); }, onpointerup: e => { if (abs(e.clientY - grip) > 9) P.classList.toggle('up', e.clientY < grip); }, onclick: e => { if (!e.detail || abs(e.clientY - grip) < 10) P.classList.toggle('up'); } }, ''));
  if (finding) add(P, findPanel());
  else {
    const w = weights(sel), d = detail(sel);
    add(P, [el('p', 'eyebrow', span(`Node ${sel} · ${T.k[sel] === 's' && isCut(split(sel)) ? 'ordered values' : KIND[KINDS[T.k[sel]]]}`), span(`level ${depths[sel]} of ${LEVELS}`)),
      el('h2', { class: leaf ? 'answer' : null }, leaf && !REG && swatch(answer(sel)), question(sel) + (leaf && REG ? around(sel) : '')),
      path.length > 1 && el('nav', { class: 'crumbs', 'aria-label': 'Path' }, path.slice(1).map((c, j) => [j ? '›' : null, el('button', { onclick: () => select(path[j]), title: byNode(c) }, condition(path[j], place[c], 2).join(' '))]).slice(-12)),
      el('p', 'say', sentence(sel)),
      REG ? regBar(sel) : [el('div', 'gapped', stackBar(w)), el('div', 'shares', shown(w).map(([c, x, k]) => span(el('i', 'sw ' + c), className(k) + ' ', bold(pct(x / (sum(w) || 1))), ' ' + num(x, 6))))],
      leaf ? leafPanel() : [T.k[sel] === 'a' || T.k[sel] === 'l' ? histPanel(d) : valuesPanel(), T.k[sel] === 'l' && [termsPanel(d), scatterPanel(d)]],
      T.p && T.p[sel] && pPanel(), leaf ? null : gainPanel(d), (T.x && T.x[sel] || []).map(([title, sub, lines]) => section(title, sub, lines.map(([t, v, s], j) => bar(t, v, 1, s, !j, 0, 'long'))))]);
  }
  P.scrollTop = top;
  panelOf = sel;
}
function sentence(i) {
  const here = i ? `${rows(R[i])} reach${R[i] === 1 ? 'es' : ''} this node, ${pct(R[i] / R[0])} of all` : `All ${num(R[0], 9)} rows start here`, n = given(i), c = kids(i), s = isLeaf(i) ? null : split(i);
  if (!s && REG) return `${here}. ${LOSS ? `Their ${CENTER} is ${num(MEAN[i])}, with a ${LOSS} of ${num(sd(i), 2)}` : `They lie around ${LINE(i) ? 'that sum' : num(MEAN[i])}, give or take ${num(sd(i), 2)}`}.` + (n ? ` On ${shownRows(n)} the prediction was off by ${num(sqrt(seen[2 * i + 1] / n), 2)} (root mean square).` : '');
  if (!s) { const k = answer(i); return `${here}; ${pct(share(i, k))} are labelled ${CLASSES[k]}.` + (n ? ` Of ${shownRows(n)} that come here, ${num(seenOf(i)[k], 9)} (${pct(seenOf(i)[k] / n)}) are.` : GIVEN ? ` No ${SET} row comes here.` : ''); }
  const cut = isCut(s);
  if (REG) return `${here}, with a ${CENTER} of ${num(MEAN[i])}` + (cut ? `. Up to the cut it is ${num(MEAN[c[0]])}, above it ${num(MEAN[c[1]])}.` : `; its branches have ${list(c.slice(0, 8).map(j => num(MEAN[j])), 'and')}${c.length > 8 ? ' …' : '.'}`);
  const f = focal(i), q = c.map(j => share(j, f)), start = `${here}; ${pct(share(i, f))} are labelled ${CLASSES[f]}`;
  if (cut) return `${start}. Up to the cut it is ${pct(q[0])}, above it ${pct(q[1])}.`;
  if (s.k === 'subset') return `${start}. In the named group it is ${pct(q[s.named])}, in the other ${pct(q[1 - s.named])}.`;
  const hi = highest(q), lo = highest(q.map(v => -v));
  return `${start}: most where ${name(s.col)} is ${names(i, hi)} (${pct(q[hi])}), fewest where it is ${names(i, lo)} (${pct(q[lo])}).`;
}
function regBar(i) {
  const [lo, hi] = RANGE, X = max(40, min(332, 4 + 364 * (MEAN[i] - lo) / (hi - lo || 1)));
  return el('div', 'gapped', add(frame(34, `${CENTER} ${num(MEAN[i])}, ${LOSS || 'standard deviation'} ${num(sd(i))}`), [svgRange(i, 4, 10, 364), sv('g', 'axis', text('', 0, 30, null, X > 110 && num(lo)), text('', 372, 30, 'end', X < 260 && num(hi)), text('', X, 30, 'middle', CENTER + ' ' + num(MEAN[i])))]));
}
function sides() {
  const c = kids(sel), some = full ? c : c.slice(0, 12);
  return [el('div', { class: c.length > 2 ? 'sides many' : 'sides' }, some.map((j, k) => el('button', { class: 'side', onclick: () => select(j) }, el('b', { title: condition(sel, k).join(' ') }, branch(sel, k, 138)), !REG && stackBar(weights(j), 'thin'),
    el('div', 'd', span(!REG && swatch(answer(j)), REG ? CENTER + ' ' + num(MEAN[j]) + around(j) : `${pct(share(j, answer(j)))} ${CLASSES[answer(j)]}`), span(rows(R[j])))))),
  c.length > some.length && more(`and ${c.length - some.length} more branches`, all)];
}
function histPanel(d) {
  const s = split(sel), side = s.missing ? 'above' : 'below', say = [];
  if (d.hist) {
    say.push(`The ${shownRows(d.n)} that reach this node${REG ? '; colour: their mean' : d.hist.c[0][0] === null ? '' : ', by class'}.`);
    if (d.hist.log) say.push('The scale is logarithmic.');
    if (d.gap) say.push(`None lies between ${cell(s.col, d.gap[0], 7)} and ${cell(s.col, d.gap[1], 7)}.`);
    if (d.missing) say.push(rows(d.missing) + ` without a value${D.mode ? '' : ` ${d.missing === 1 ? 'goes' : 'go'} ${side} the cut`}.`);
  } else say.push('Give rows to the report to see how they lie about the cut.');
  if (s.raw && s.raw[1] & 4) say.push('A missing number counts as the mean of its column.');
  else if (!D.mode && !d.missing && s.cut !== Infinity) say.push(s.saw ? `In training, rows without a value went ${side} the cut.` : `No value was missing in training; a row without one goes ${side} the cut.`);
  return section(s.k === 'linear' ? 'Rows along the weighted sum' : 'Rows by ' + name(s.col), say.join(' '), d.hist && add(frame(158, `Histogram; cut at ${cutOf(sel)}`), [bars(sel, 4, 26, 364, 106, { big: true, value: mineAt(sel) })]), sides());
}
function termsPanel(d) {
  const s = split(sel), n = s.cols.length, k = min(n, keep[sel] || n), bar_ = (j, label, x) => [j, label, x], v = s.w.flatMap((w, j) => s.scores[j] ? s.scores[j].map(([v, q]) => bar_(j, `${name(s.cols[j])} is ${value(s.cols[j], v)}`, q)) : [bar_(j, name(s.cols[j]), unit === 'std' ? w * spread(s.cols[j]) : w)]), most = max(...v.map(q => abs(q[2]))), some = full || v.length <= 14 ? v.length : 10;
  const digits = T.c?.[sel]?.[2] || 6, scored = j => `${j ? '+ ' : ''}${name(s.cols[j])}{${s.scores[j].map(([v, q]) => `${value(s.cols[j], v)}: ${num(q, digits)}`).join(', ')}}`;
  const mu = d.mu || [], eq = () => {
    let cut = s.cut;
    for (let j = k; j < n; j++) cut -= s.w[j] * (mu[j] || 0);
    return s.cols.slice(0, k).map((c, j) => s.scores[j] ? scored(j) : `${s.w[j] < 0 ? (j ? '− ' : '−') : j ? '+ ' : ''}${num(abs(s.w[j]), digits)} · ${name(c)}`.replaceAll(' ', '\u00a0')).join(' ') + ` ≤\u00a0${k === n ? cutOf(sel) : num(cut, 6)}`;
  };
  let box = null;
  if (d.kb && n > 1) {
    const big = max(...d.kb, 1), S = sv('svg', { viewBox: '0 0 340 30', width: '100%', 'aria-hidden': 'true' }, d.kb.map((c, j) => { const h = c ? max(1.5, 26 * c / big) : 0; return rect(j === k - 1 ? 'inkf' : 'gap', 5 + 324 * j / (n - 1), 29 - h, min(6, 300 / n), h, 1); }), line('base', 0, 29.5, 340, 29.5));
    const say = k === n ? [`All ${n} terms are kept. `, el('span', 'muted', 'Slide to drop the small ones; the bars count the rows that would change side.')] : ['Keep the ', bold(k === 1 ? 'largest term' : `${k} largest terms`), ': ', bold(d.kb[k - 1] ? rows(d.kb[k - 1]) : 'no row'), ` of ${num(d.n, 9)} would change side.`];
    box = el('div', 'keep', el('p', 'l', say), S, el('input', { type: 'range', min: 1, max: n, step: 1, value: k, 'aria-label': 'Terms kept', oninput: e => { keep[sel] = +e.target.value; panel(); $('panel').querySelector('.keep input').focus({ preventScroll: true }); } }));
  }
  return [el('section', null, el('div', 'headrow', el('h3', null, 'What counts, and which way'), seg([['std', 'per spread'], ['raw', 'raw']], unit, u => { unit = u; panel(); }, 'Units')),
    el('p', 'sub', unit === 'std' ? 'Each weight times the spread of its column, so that bars can be compared. Solid bars push a row above the cut, hatched ones below.' + (s.scores.some(Boolean) ? ' A category counts by its score.' : '') : 'Weights in the units of the columns, as the equation has them; sizes cannot be compared.'),
    el('div', 'terms', v.slice(0, some).map(([j, label, x]) => el('div', { class: 'term' + (j >= k ? ' off' : '') }, el('span', { title: label }, label), el('div', 'div', el('i', { class: x < 0 ? 'neg' : '', vars: { width: 50 * abs(x) / most + '%' } })), span((x > 0 ? '+' : '') + num(x, 3))))),
    some < v.length && more(`Show the other ${v.length - some} terms`, all), box),
  el('section', null, el('div', 'headrow', el('h3', null, 'Equation'), copyButton(() => eq().replaceAll('\u00a0', ' '))), el('pre', { class: 'code', tabindex: 0 }, eq()))];
}
// Counts in cells of the plane, not rows; the cut is a line where the other columns have their mean.
function scatterPanel(d) {
  if (!d.grid) return null;
  const { x: [xl, xh], y: [yl, yh], n, cells } = d.grid, s = split(sel), H = 268, l = 44, b = 34, w = 372 - l - 8, h = H - b - 8, X = v => l + w * (v - xl) / (xh - xl), Y = v => H - b - h * (v - yl) / (yh - yl), most = max(...cells.map(c => c[2]));
  const A = sv('g', 'axis', ticks(xl, xh).map(v => [line('rule1', X(v), 8, X(v), H - b), text('', X(v), H - b + 14, 'middle', num(v, 4))]), ticks(yl, yh).map(v => [line('rule1', l, Y(v), 364, Y(v)), text('', l - 6, Y(v) + 3.5, 'end', num(v, 4))]));
  let rest = s.cut;
  for (let j = 2; j < s.cols.length; j++) rest -= s.w[j] * (d.mu[j] || 0);
  const yAt = x => (rest - s.w[0] * x) / s.w[1];
  return section('Its two strongest columns', `Rows in cells: the larger the square the more rows, in the colour of ${REG ? 'their mean' : 'their commonest class'}.${s.cols.length > 2 ? ` The line is the cut where the other ${s.cols.length - 2} columns have their mean here, so rows near it may lie on either side.` : ''}`,
    add(frame(H, 'Rows over the two strongest columns'), [A, sv('clipPath', { id: 'clip' }, rect('', l, 8, w, h)), cells.map(([cx, cy, c, k]) => { const z = max(2, sqrt(c / most) * w / n); return rect('kf ' + (REG ? meanClass(k) : k < 0 ? 'r3' : klass(k)), X(xl + (cx + .5) * (xh - xl) / n) - z / 2, Y(yl + (cy + .5) * (yh - yl) / n) - z / 2, z, z, 2); }),
      sv('line', { class: 'cut', x1: X(xl), y1: Y(yAt(xl)), x2: X(xh), y2: Y(yAt(xh)), 'clip-path': 'url(#clip)' }), text('labm', 364, H - 4, 'end', cutText(name(s.cols[0]), 150, 10.5) + ' →'), text('labm', l, H - 4, null, '↑ ' + cutText(name(s.cols[1]), 150, 10.5))]));
}
function valuesPanel() {
  const s = split(sel), cut = isCut(s), v = sortedValues(sel), by = REG ? 'their mean' : `their share of ${CLASSES[focal(sel)]}`, c = COLUMNS[s.col];
  const item = q => el('div', 'val', el('div', 'l', el('span', { title: value(s.col, q.v) }, value(s.col, q.v)), span(q.n ? num(q.n, 9) : '')), q.w && stackBar(dense(q.w), 'thin'), q.n && REG ? el('div', 'muted', 'mean ' + num(q.m)) : null);
  const { best } = detail(sel), gap = c.v.indexOf(null), where = s.groups.findIndex(g => g.includes(gap)), rest = s.other < 0 ? 'stop here and get the prediction of this node' : `follow the larger branch, “${branch(sel, s.other, 110)}”`;
  const ends = section(null, null, facts(cut ? D.mode ? [] : [['Missing', `or not in the order: with “${sideText(sel, s.other)}”`]] : [['Search', D.search || 'not kept in the model file'], ...(s.k === 'subset' ? [['Proven', best === 1 ? `no grouping gains more on the ${SET} rows` : best ? `it has at least ${floor(100 * best)}${NB}% of the gain of the best grouping on the ${SET} rows` : GIVEN ? 'nothing: another grouping might gain more' : 'give the report labelled rows to see']] : []), ...(D.mode ? [] : [['Missing', gap >= 0 && where >= 0 ? `a value of its own: with “${branch(sel, where, 110)}”` : 'none here in training; ' + rest], ['Unseen values', rest]])]));
  if (s.k === 'multiway') return [section(`The ${v.length} values of ${name(s.col)}`, 'Each has a branch of its own.', sides()), ends];
  const col = k => { const a = v.filter(q => q.k === k), some = full ? a : a.slice(0, 9); return el('div', null, el('h4', null, cut ? sideText(sel, k) + ' ' : k === s.named ? 'These ' : 'Other ', span(`${num(a.length, 9)} value${a.length > 1 ? 's' : ''} · ${rows(R[kids(sel)[k]])}`)), some.map(item), a.length > some.length && more(`and ${num(a.length - some.length, 9)} more`, all)); };
  return [section(`The values of ${name(s.col)}, in ${cut ? 'order' : 'two groups'}`, detail(sel).vals ? `${cut ? '' : `Sorted by ${by}. `}The numbers count ${SET} rows.` : 'Give rows to the report to see the classes of each value.', el('div', 'cols', [0, 1].map(col)), sides()), ends];
}
function gainPanel(d) {
  const s = split(sel), g = T.g[at[sel]], mine = s.k === 'linear' ? 'this weighted sum' : name(s.col);
  if (!d.alt || !d.alt.length) return section('How much it gains', `${num(g, 4)} by ${CRITERION}.`);
  const list_ = [[mine, d.gain, true], ...d.alt.slice(0, 5).map(([c, x]) => [name(c), x])].sort((a, b) => b[1] - a[1]), most = list_[0][1], [c, x, how] = d.alt[0];
  const say = s.k !== 'linear' ? `Gain by ${CRITERION} on the ${SET} rows, for which the other columns are cut anew.` : x > d.gain ? `One column alone, ${name(c)} ${how}, would gain more here (${num(x, 3)} against ${num(d.gain, 3)}).` : `The best single column, ${name(c)} ${how}, would gain ${num(x, 3)}; this sum gains ${num(d.gain, 3)}, ${d.gain > 1.95 * x ? num(d.gain / x, 2) + ' times as much' : pct(d.gain / x - 1) + ' more'}.`;
  return section(s.k === 'linear' ? 'Against a single column' : 'What else could have been asked', say, list_.map(([t, v, on]) => bar(t, v, most, num(v, 3), on)));
}
function pPanel() {
  const p = T.p[sel], a = D.alpha, limit = a ? -log10(a) : 0, top = max(3, 1.5 * limit, min(12, -p[0][1])), leaf = isLeaf(sel), [c, lg] = p[0];
  const say = !leaf ? `The longer the bar, the surer. Adjusted for ${p.length} tests.${a ? ` A column can be split where its bar passes the dashed line, p = ${a}.` : ''}` : -lg < limit ? `No column is surely related to ${TARGET} here: the smallest p-value is ${pText(lg)}, above ${a}. So the tree stops.` : `The smallest p-value is ${pText(lg)}${a ? `, not above ${a}, but the tree stops for its size or depth` : ''}.`;
  return section(`Which columns are related to ${TARGET}?`, say, p.slice(0, full ? 999 : 10).map(([c, lg]) => bar(name(c), -lg, top, pText(lg), !leaf && c === split(sel).col, a && 100 * limit / top + '%')), !full && p.length > 10 && more(`and ${p.length - 10} more`, all));
}
// Each line of a linear leaf; dots are means of rows, as large as there are rows.
function linesPanel(i) {
  if (!LINE(i)?.[2].length) return null;
  const all = GIVEN?.l?.[i], [, , , low, high] = LINE(i), most = all && max(...all.flatMap(q => q[5].map(d => d[2])), 1);
  if (!all) return section('Its lines', 'Give rows to the report to see them.');
  return section('Its lines', `Along one column after the other; the other lines have their mean over the ${SET} rows here.${most > 1 ? ' Dots: what these rows have left for the line, the larger the more rows.' : ''}`, all.map(([c, a, b, ya, yb, dots]) => {
    const v = [ya, yb, ...dots.map(d => d[1])], lo = min(...v), hi = max(...v), X = x => 44 + 316 * (x - a) / (b - a), Y = y => 156 - 144 * (y - lo) / (hi - lo || 1);
    // Where the line leaves the range of predictions it is held there.
    const at = y => a + (b - a) * (y - ya) / (yb - ya), bent = [low, high].map(y => [at(y), y]).filter(q => q[0] > a && q[0] < b), hold = y => min(max(y, low), high);
    return [el('p', 'sub gapped', bold(name(c))), add(curve([['ks', [[a, hold(ya)], ...bent.sort((p, q) => p[0] - q[0]), [b, hold(yb)]]]], `${TARGET} by ${name(c)}`, X, Y, ticks(a, b).filter((t, j) => !isMoment(c) || j % 2).map(t => [t, cell(c, t, 4)]), ticks(lo, hi).map(t => [t, num(t, 3)]), []), dots.map(([x, y, n]) => sv('circle', { class: 'dot', cx: X(x), cy: Y(y), r: max(1.5, 5 * sqrt(n / most)) })))];
  }));
}
// Wilson's 95 % interval of the share of k among n rows.
function wilson(k, n) {
  const p = k / n, z = 1.96, m = p + z * z / (2 * n), h = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)), d = 1 + z * z / n;
  return `${pct(max(0, (m - h) / d))} to ${pct(min(1, (m + h) / d))}`;
}
function leafPanel() {
  const i = sel, all = conditionsOf(i), rule = el('section', null, el('div', 'headrow', el('h3', null, 'A row comes here if'), copyButton(() => all.map(c => c.join(' ')).join(' and '))), el('ol', 'rule', all.map(([a, b]) => el('li', null, span(bold(a), ' ' + b)))));
  if (REG) { const h = 1.96 * sd(i) / sqrt(R[i]); return [rule, !LOSS && !LINE(i) && R[i] > 1 && section('How sure is the mean?', `${num(MEAN[i] - h, 4)} to ${num(MEAN[i] + h, 4)} is a 95${NB}% interval from its ${rows(R[i])}, as if the leaf had been fixed in advance.`), linesPanel(i)]; }
  const w = weights(i), n = given(i), t = n && !GIVEN.train && seenOf(i), plain = abs(sum(w) - R[i]) < 1e-6 * R[i], of = t ? [t, n] : plain && [w, R[i]];
  return [rule, section('Rows of this leaf', of && `95${NB}% intervals of the shares, from the ${t ? 'test rows' : 'training rows as if the leaf had been fixed in advance'}.`, table(['', 'training', '', ...(t ? ['test', ''] : []), ...(of ? ['95' + NB + '%'] : [])], [...w.keys()].filter(k => w[k] || t && t[k]).map(k => [[swatch(k), ' ' + CLASSES[k]], num(w[k], 6), pct(share(i, k)), ...(t ? [num(t[k], 9), pct(t[k] / n)] : []), ...(of ? [wilson(of[0][k], of[1])] : [])])))];
}
