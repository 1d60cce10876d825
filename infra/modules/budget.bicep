// Mails when the environment has cost more in a month than planned. It stops nothing.
param name string
param amount int
param firstMonth string
param emailAddresses array

var shares = [80, 100]

resource budget 'Microsoft.Consumption/budgets@2023-11-01' = {
  name: name
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: { startDate: '${firstMonth}-01' }
    notifications: toObject(shares, share => 'over${share}Percent', share => {
      enabled: true
      operator: 'GreaterThanOrEqualTo'
      threshold: share
      thresholdType: 'Actual'
      contactEmails: emailAddresses
    })
  }
}
