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
