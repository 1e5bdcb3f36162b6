export function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then; at once would be too early for some browsers.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What happened, in words. */
export async function copyPicture(blob: Blob): Promise<string> {
  if (!navigator.clipboard || typeof ClipboardItem === 'undefined') {
    return 'The browser copies pictures only over https: download it instead.';
  }
  try {
    await navigator.clipboard.write([new ClipboardItem({ [blob.type]: blob })]);
    return 'Picture copied.';
  } catch {
    return 'The browser refused to copy: download it instead.';
  }
}
