// The page to look at: the pool, rooms, creates, deletions, the sink and the platform over time.
param location string
param tags object
param appName string
param workspaceId string

var content = loadTextContent('../workbook/workbook.json')

resource workbook 'Microsoft.Insights/workbooks@2022-04-01' = {
  // The service asks for a GUID as the name; this one stays the same from deployment to deployment.
  name: guid(resourceGroup().id, appName, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'VMR gateway ${appName}'
    category: 'workbook'
    sourceId: workspaceId
    serializedData: replace(replace(content, '__workspaceId__', workspaceId), '__app__', appName)
  }
}
