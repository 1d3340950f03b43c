// Finding a row, searching, keys and pointers, and the start.
let view = 'tree', mine = -1;
const USED = D.imp.map((v, c) => [v, c]).filter(a => a[0] > 0).sort((a, b) => b[0] - a[0]).map(a => a[1]).slice(0, 60);
function setRow(r) {
  row = r;
  const [parts, ends] = reach(r);
  onPath = parts;
  sel = ends[0][0];
  for (const [i] of ends.slice(0, 40)) reveal(i);
  drawTree();
  show(sel);
}
function findPanel() {
  const ends = reach(row)[1], i = ends[0][0], many = ends.length > 1, p = pathTo(i), S = GIVEN?.rows, truth = mine >= 0 ? S[mine].y : null, mix = f => sum(ends.map(([j, q]) => q * f(j)));
  const shares = REG ? [] : CLASSES.map((_, c) => mix(j => share(j, c))), k = REG ? 0 : many ? highest(D.costs ? CLASSES.map((_, c) => -sum(shares.map((q, t) => q * D.costs[t][c]))) : shares) : answer(i), told = REG ? num(mix(j => predictedAt(j, row))) : CLASSES[k], answerOf = j => REG ? num(MEAN[j]) : CLASSES[answer(j)];
  const step = (q, ...t) => el('li', null, el('button', { onclick: () => { const r = row, o = onPath; select(q); row = r; onPath = o; drawTree(); } }, t));
  const change = (c, v) => { mine = -1; const r = [...row]; r[c] = v; setRow(r); panel(); };
  const field = c => {
    const C = COLUMNS[c];
    if (C.v) return el('select', { onchange: e => change(c, +e.target.value) }, C.v.slice(0, 2000).map((v, j) => el('option', { value: j, selected: j === row[c] || row[c] === null && v === null }, v === null ? 'missing' : v)), el('option', { value: -1, selected: row[c] === -1 }, 'another value'));
    if (isMoment(c) && C.k !== 'duration') return el('input', { type: C.k === 'date' ? 'date' : 'datetime-local', step: 'any', value: row[c] === null ? '' : cell(c, row[c]).replace(' ', 'T'), onchange: e => change(c, e.target.value === '' ? null : Date.parse(e.target.value + (C.k === 'date' ? '' : 'Z')) / 864e5) });
    return el('input', { type: 'number', step: 'any', value: row[c] === null ? '' : row[c], placeholder: 'missing', onchange: e => change(c, e.target.value === '' ? null : +e.target.value) });
  };
  return [el('p', 'eyebrow', span('Find my row'), more('Close', stopFind)),
    el('h2', 'answer', !REG && swatch(k), told),
    el('p', 'say', many ? `It has no value where the tree asks for one, so it is shared among ${ends.length} leaves${REG ? '' : `; together they give ${told} ${pct(shares[k])}`}.` : REG ? LINE(i) ? `${LINE(i)[0]}, fitted to ${rows(R[i])} at node ${i}.` : `The mean of ${rows(R[i])} at node ${i}.` : `${pct(share(i, k))} of the ${rows(R[i])} at node ${i} are labelled ${told}.`, truth == null ? '' : REG ? ` The true value is ${num(truth, 5)}.` : truth === k ? ' That is correct.' : ` The actual class is ${CLASSES[truth]}.`),
    many && section('Its parts', null, el('ol', 'steps rule', ends.slice(0, 12).map(([j, q]) => step(j, bold(pct(q)), ` to node ${j}: ${answerOf(j)}`))), ends.length > 12 && el('p', 'sub', `and ${ends.length - 12} more`)),
    section(many ? 'The path of the largest part' : 'Its path', null, el('ol', 'steps rule', p.slice(0, -1).map((q, j) => { const s = split(q), v = s.k === 'linear' ? along(q, row) : row[s.col], has = s.k === 'linear' ? 'weighted sum' : name(s.col), is = v === null ? 'missing' : s.groups ? (v < 0 ? 'another value' : value(s.col, v)) : s.k === 'linear' ? num(v + s.cut - s.raw[0], 6) : cell(s.col, v); const to = p[j + 1], less = onPath.get(to) / onPath.get(q); return step(q, bold(`${has} = ${is}`), `, so ${less < 1 ? pct(less) + ' of it ' : ''}${branch(q, place[to], 160)}`); }))),
    waterfall(row, k), whyNot(row, k, REG ? mix(j => MEAN[j]) : 0),
    section('Its values', 'Columns that the tree asks for, the most important first.', el('div', 'form', S && el('label', 'wide', 'Pick one of the rows in this page, or change the values below', el('select', { onchange: e => { mine = +e.target.value; setRow([...S[mine].x]); panel(); } }, mine < 0 && el('option', { value: -1, selected: true }, 'my own values'), S.map((r, j) => el('option', { value: j, selected: j === mine }, `row ${j + 1}${r.y === null ? '' : ': ' + (REG ? num(r.y, 5) : CLASSES[r.y])}`)))), USED.map(c => el('label', null, span(name(c)), field(c)))))];
}
function startFind() {
  finding = true;
  press('findRow', true);
  const S = GIVEN?.rows;
  mine = S && S.length ? 0 : -1;
  setRow(mine < 0 ? COLUMNS.map(c => c.d === undefined ? null : c.d) : [...S[0].x]);
  if (narrow()) $('panel').classList.add('up');
  panel();
}
function stopFind() { finding = false; row = onPath = null; press('findRow', false); drawTree(true); panel(); }
function select(i, focus = true) {
  if (i !== sel) full = false;
  if (!finding) row = onPath = null;
  finding = false;
  press('findRow', false);
  sel = i;
  reveal(i);
  drawTree(focus);
  show(i);
  panel();
  $('status').textContent = spoken(i);
  try { history.replaceState(null, '', '#' + i); } catch { return; }
}
function toggle(i) { if (isLeaf(i)) return; open.has(i) ? open.delete(i) : open.add(i); sel = i; drawTree(true); show(i); panel(); }
function search(q) {
  q = q.trim().toLowerCase();
  hits = null;
  $('hits').textContent = '';
  if (q) {
    hits = new Set();
    const col = COLUMNS.map(c => c.n.toLowerCase().includes(q)), val = COLUMNS.map(c => c.v ? c.v.map(v => (v === null ? 'missing' : v).toLowerCase().includes(q)) : null), cls = REG ? [] : CLASSES.map(c => c.toLowerCase().includes(q));
    for (let i = 0; i < COUNT; i++) {
      const s = isLeaf(i) ? null : T.s[at[i]];
      const hit = !s ? !REG && cls[answer(i)] : T.k[i] === 'l' ? split(i).cols.slice(0, 5).some(c => col[c]) : col[s[0]] || T.k[i] !== 'a' && (T.k[i] === 'm' ? s[2] : s[2].concat(s[3])).some(v => val[s[0]][v]);
      if (hit || q === String(i)) hits.add(i);
    }
    let n = 0;
    for (const i of hits) { if (n++ >= 40) break; reveal(i); }
    $('hits').textContent = hits.size ? num(hits.size, 9) + (hits.size === 1 ? ' node' : ' nodes') : 'nothing';
  }
  drawTree();
}
function nextHit() {
  let first = -1;
  for (const i of hits) { if (first < 0) first = i; if (i > sel) { first = i; break; } }
  if (first >= 0) select(first, false);
}
const above = () => ROOT.style.setProperty('--above', ceil($('main').getBoundingClientRect().top + scrollY) + 'px');
function setView(v) {
  view = v;
  $('main').hidden = $('bar').hidden = v !== 'tree';
  $('model').hidden = v !== 'model';
  press('vTree', v === 'tree');
  press('vModel', v === 'model');
  if (v === 'tree') { above(); drawTree(); } else if (!$('model').firstChild) about();
}
function saveSvg() {
  const pad = L.slim ? 16 : PAD, live = L.out.length > 3000 ? $('svg') : picked([-pad, 0, L.W + pad, L.H], 1), hold = el('div', 'sr');
  if (live !== $('svg')) { hold.append(live); PAGE.body.append(hold); }
  const copy = live.cloneNode(true), a = live.querySelectorAll('*'), b = copy.querySelectorAll('*');
  a.forEach((e, j) => {
    const s = getComputedStyle(e);
    for (const p of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'paint-order']) { const v = s.getPropertyValue(p); if (v) b[j].setAttribute(p, v); }
    for (const n of ['class', 'tabindex', 'role', 'data-i', 'data-t']) b[j].removeAttribute(n);
  });
  hold.remove();
  const v = live.viewBox.baseVal;
  copy.removeAttribute('id');
  copy.removeAttribute('style');
  copy.prepend(sv('rect', { x: v.x, y: v.y, width: v.width, height: v.height, fill: getComputedStyle(PAGE.body).backgroundColor }));
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' })), l = el('a', { href: url, download: 'tree.svg' });
  PAGE.body.append(l);
  l.click();
  l.remove();
  setTimeout(() => URL.revokeObjectURL(url), 5000);
}
const zoomTo = z => { zoom = max(.3, min(1.8, z)); drawTree(); };
const nodeAt = e => { const g = e.target.closest && e.target.closest('[data-i]'); return g ? +g.getAttribute('data-i') : -1; };
let moved = false, drag = null, was = innerWidth;
const sc = $('scroll'), tree = $('tree');
const on = (e, what, f, o) => e.addEventListener(what, f, o);
on($('vTree'), 'click', () => setView('tree'));
on($('vModel'), 'click', () => setView('model'));
on($('depth'), 'input', e => { const d = +e.target.value; toDepth(d); while (depths[sel] > d) sel = parents[sel]; fit(.62); drawTree(); show(sel); panel(); });
on($('colour'), 'change', e => { colour = e.target.value; legend(); drawTree(); });
on($('search'), 'input', e => search(e.target.value));
on($('search'), 'keydown', e => { if (e.key === 'Enter' && hits && hits.size) nextHit(); if (e.key === 'Escape') { e.target.value = ''; search(''); } });
on($('findRow'), 'click', () => finding ? stopFind() : startFind());
on($('save'), 'click', saveSvg);
on($('zIn'), 'click', () => zoomTo(zoom * 1.15));
on($('zOut'), 'click', () => zoomTo(zoom / 1.15));
on($('zFit'), 'click', () => { fit(.3); drawTree(); });
on(tree, 'click', e => { if (moved) return; const t = e.target.closest('[data-t]'), i = nodeAt(e); if (t) toggle(+t.getAttribute('data-t')); else if (i >= 0) select(i); });
on(tree, 'dblclick', e => { const i = nodeAt(e); if (i >= 0) toggle(i); });
on(tree, 'keydown', e => {
  const i = nodeAt(e);
  let to = -1;
  if (i < 0) return;
  if (e.key === 'ArrowRight' && !isLeaf(i)) to = i + 1;
  else if (e.key === 'ArrowLeft' && i) to = parents[i];
  else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') { const same = L.out.filter(b => L.slim || b.d === depths[i]), j = same.findIndex(b => b.i === i) + (e.key === 'ArrowUp' ? -1 : 1); if (same[j]) to = same[j].i; }
  else if (e.key === 'Home') to = 0;
  else if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); return toggle(i); }
  else return;
  e.preventDefault();
  if (to >= 0) select(to);
});
on(PAGE, 'keydown', e => { if (e.key === '/' && !/INPUT|SELECT|TEXTAREA/.test(PAGE.activeElement.tagName)) { e.preventDefault(); $('search').focus(); } if (e.key === 'Escape' && finding) stopFind(); });
on(sc, 'pointerdown', e => { moved = false; if (e.pointerType === 'mouse' && !e.button && !narrow()) drag = [e.clientX, e.clientY, sc.scrollLeft, sc.scrollTop]; });
on(window, 'pointermove', e => { if (!drag) return; const dx = e.clientX - drag[0], dy = e.clientY - drag[1]; if (abs(dx) + abs(dy) > 5) { moved = true; sc.classList.add('drag'); sc.scrollLeft = drag[2] - dx; sc.scrollTop = drag[3] - dy; } });
on(window, 'pointerup', () => { drag = null; sc.classList.remove('drag'); });
on(sc, 'wheel', e => { if (e.ctrlKey && !narrow()) { e.preventDefault(); zoomTo(zoom * (e.deltaY < 0 ? 1.08 : 1 / 1.08)); } }, { passive: false });
on(sc, 'scroll', () => requestAnimationFrame(() => { moveEye(); paint(); }));
on($('map'), 'click', e => { const r = $('map').getBoundingClientRect(), [W, H, w, h] = room(sc); sc.scrollTo((e.clientX - r.x) / r.width * W - w / 2, (e.clientY - r.y) / r.height * H - h / 2); });
on(window, 'scroll', () => { if (narrow()) requestAnimationFrame(() => paint()); });
on(window, 'resize', () => { if (innerWidth === was || view !== 'tree') return; was = innerWidth; above(); fit(); drawTree(); panel(); });
on(window, 'beforeprint', () => { $('model').firstChild || about(); if (view === 'tree' && L.out.length < 3000) { drawn = null; tree.replaceChildren(picked([-PAD, 0, L.W + PAD, L.H], 1)); } });
on(window, 'afterprint', () => { if (view === 'tree') drawTree(); });

ROOT.classList.add('js');
{
  const S = GIVEN?.score, levels = LEVELS === 1 ? '1 level' : LEVELS + ' levels', fits = narrow() ? 3 : floor(((innerWidth - 430) / .88 + GAP - 74) / (CW + GAP)) - 1;
  PAGE.title = $('h1').textContent;
  add($('lede'), [S ? REG ? ['Off by ', bold('±' + NB + num(S.rmse, 2)), ` (root mean square) on ${shownRows(GIVEN.n)}; always predicting their mean would be off by ±${NB}${num(S.base, 2)}. `] : [S.cost != null && ['Costs ', bold(num(S.cost, 3)), ` a row; always predicting “${CLASSES[S.cheap]}” would cost ${num(S.least, 3)}. `], 'Correct on ', bold(pct1(S.acc)), ` of ${shownRows(GIVEN.n)}${GIVEN.train ? ', which the tree was fitted to' : ''}; always predicting “${CLASSES[S.common]}” would be correct on ${pct1(S.base)}. `] : null, D.rounds ? `The tree of round ${D.rounds.at[0]} of ${D.rounds.at[1]} is shown; it has ` : D.of ? `Tree ${D.of[0]} of ${num(D.of[1], 9)} is shown; it has ` : 'It has ', bold(LEAVES === 1 ? '1 leaf' : num(LEAVES, 9) + ' leaves'), ' on ', bold(levels), ' and grew from ', bold(rows(R[0])), '.']);
  $('depth').max = max(1, LEVELS);
  $('colour').replaceChildren(...[['class', REG ? 'mean' : 'class'], ['purity', REG ? 'spread' : 'purity'], ['rows', 'rows'], ...(S ? [['error', `error on the ${SET} rows`]] : [])].map(([v, t]) => el('option', { value: v }, t)));
  const upTo = [];
  for (let i = 0; i < COUNT; i++) if (depths[i] < 7) upTo[depths[i]] = (upTo[depths[i]] || 0) + 1;
  let d = 1, n = (upTo[0] || 0) + (upTo[1] || 0) + (upTo[2] || 0);
  while (d < LEVELS && d < max(2, min(4, fits)) && n <= 26) n += upTo[++d + 1] || 0;
  toDepth(d);
  const start = +location.hash.slice(1);
  if (start > 0 && start < COUNT) sel = start;
  reveal(sel);
  above();
  fit();
  legend();
  drawTree();
  panel();
  show(sel);
  if (!narrow() && !sel) { const r = L.out[0], y = (r.y + r.h / 2) * zoom; if (y > sc.clientHeight - 40) sc.scrollTop = y - sc.clientHeight / 2; paint(); }
}
