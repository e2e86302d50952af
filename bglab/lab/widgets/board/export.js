// Pictures and texts to take away.

// The picture without what only a user of the page needs: focus, marks, places to click, hidden nodes.
function svgText(svg, title) {
  const copy = svg.cloneNode(true);
  for (const node of copy.querySelectorAll("[data-ui],[display=none]")) node.remove();
  for (const node of copy.querySelectorAll("[tabindex],[role],[aria-label]")) {
    for (const name of node.getAttributeNames()) {
      if (/^(tabindex|role|aria-label|class|data-.*)$/.test(name)) node.removeAttribute(name);
    }
  }
  copy.removeAttribute("class");
  copy.setAttribute("role", "img");
  copy.setAttribute("aria-label", title);
  copy.setAttribute("width", WIDTH + COLUMN);
  copy.setAttribute("height", HEIGHT);
  return new XMLSerializer().serializeToString(copy);
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const svgBlob = (text) => new Blob([text], { type: "image/svg+xml" });

// Twice the size of the picture, for screens and print of today.
async function pngBlob(text, scale = 2) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = (WIDTH + COLUMN) * scale;
  canvas.height = HEIGHT * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no picture."))), "image/png"));
}

// Put a text on the clipboard; whether that worked. Pages that are not served safely have only the old way.
async function copyText(text, near) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = near.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
