const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;

/**
 * The origin of Elasticsearch in a deployment of Elastic Cloud; null if the text is no cloud id: a name, a colon and, in base64, `HOST$ELASTICSEARCH$KIBANA`, where either of the first two may carry a port
 * (https://www.elastic.co/docs/deploy-manage/deploy/elastic-cloud/find-cloud-id).
 */
export function originOfCloudId(cloudId: string): string | null {
  const colon = cloudId.lastIndexOf(':');
  if (colon < 0) return null;
  const [host = '', deployment = ''] = Buffer.from(cloudId.slice(colon + 1), 'base64')
    .toString('utf8')
    .split('$');
  const [domain = '', domainPort = '443'] = host.split(':');
  const [name = '', port = domainPort] = deployment.split(':');
  const origin = `https://${name}.${domain}:${port}`;
  return HOST.test(`${name}.${domain}`) && /^\d+$/.test(port) && URL.canParse(origin) ? origin : null;
}
