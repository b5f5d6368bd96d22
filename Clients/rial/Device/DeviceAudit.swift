import ArgumentParser
import CaptureProtocol
import RialClient

struct DeviceAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Shows when a device was revoked or restored, by what, and why; latest first.",
        discussion: AdminPort.discussion)

    @Argument(help: "The device's id.")
    var id: DeviceID
    @OptionGroup var port: AdminPort

    func run() async throws {
        let answer = try JSONValue(parsing: try await port.send("GET", "events", of: id))
        guard case .array(let events)? = answer["events"] else { throw CommandFailure("The admin port's answer holds no events.") }
        guard !events.isEmpty else { return Console.result("nothing was done to device \(id)") }
        var table = TextTable(header: ["at", "action", "by", "reason"])
        for event in events { table.add(["at", "action", "by", "reason"].map { event[$0]?.string ?? "" }) }
        Console.result(table.text)
    }
}
