# Completion of `referee` in PowerShell 7.3 or newer. Load it with:
#   referee completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName referee -ScriptBlock {
    param($word, $line, $cursor)
    $before = @($line.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    # Where nothing is answered, PowerShell completes file names by itself.
    & $line.CommandElements[0].Extent.Text __complete @before "$word" 2>$null |
        Where-Object { $_ -ne ':files' } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
        }
}
