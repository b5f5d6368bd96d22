import ArgumentParser
import CaptureProtocol
import RialClient

struct DeviceAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Shows when, by whom and why a device was revoked or restored; latest first.",
        discussion: AdminPort.discussion)

    private static let columns = ["at", "action", "since", "by", "reason"]

    @Argument(help: "The device's id.")
    var id: DeviceID
    @OptionGroup var port: AdminPort

    func run() async throws {
        let response = try JSONValue(parsing: try await port.send("GET", "events", of: id))
        guard case .array(let events)? = response["events"] else { throw CommandFailure("The admin port's response has no events.") }
        guard !events.isEmpty else { return Console.result("device \(id) was never revoked or restored") }
        var table = TextTable(header: Self.columns)
        for event in events { table.add(Self.columns.map { event[$0]?.string ?? "" }) }
        Console.result(table.text)
    }
}
