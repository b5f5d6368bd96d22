import ArgumentParser
import CaptureProtocol
import Persistence

/// Lists what a restored database has forgotten, and has to be told again.
struct DeviceRevocations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoked", abstract: "Lists the devices that are revoked.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase). Keep the list with the backups: a database that is restored has forgotten what was \
            revoked since. "since" is what `revoke --since` was given, the earliest time if it was given several.
            """)

    func run() async throws {
        let url = try OperatorSettings().databaseURL()
        let devices = try await StartupRetry(dependency: "PostgreSQL") {
            // It reads every device.
            try await PostgresConnection.administering(url, statementTimeout: .seconds(600)) { connection in
                try await RevokedDevices(connection: connection).all()
            }
        }
        guard !devices.isEmpty else { return Console.result("no device is revoked") }
        var table = TextTable(header: ["device", "since", "revoked", "by", "reason"])
        for device in devices {
            table.add(
                device.id.description, device.since.map { Timestamp.format($0) } ?? "-", Timestamp.format(device.revokedAt),
                device.by ?? "-", device.reason ?? "-")
        }
        Console.result(table.text)
    }
}
