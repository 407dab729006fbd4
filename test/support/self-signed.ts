import { generateKeyPairSync, sign } from 'node:crypto';

const ED25519 = der(0x30, Buffer.from([0x06, 0x03, 0x2b, 0x65, 0x70]));

/** A certificate for nobody in particular, signed by itself, with its key: what `tls.createServer` needs. */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const name = der(0x30, der(0x31, der(0x30, Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03]), der(0x0c, Buffer.from('test')))));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = der(0x30, der(0xa0, der(0x02, Buffer.from([2]))), der(0x02, Buffer.from([1])), ED25519, name, validity, name, spki);
  const signature = der(0x03, Buffer.from([0]), sign(null, body, privateKey));
  const cert = der(0x30, body, ED25519, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Tag, length and content of DER (X.690 8.1); lengths up to 65,535. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
