import ArgumentParser
import CaptureKit
import CaptureProtocol
import RialClient

/// What a person sets in the phone's app.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Shows and changes the settings of the device library.", subcommands: [PrivacyCommand.self])
}

struct PrivacyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy",
        abstract: "Privacy mode: whether photos and videos stay on the phone, and what is shared of their metadata.",
        subcommands: [PrivacyShow.self, PrivacySet.self])
}

struct PrivacyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows the privacy settings.")

    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var options: QueueOptions

    func run() async throws { Console.result(try options.privacySettings.load().text(asJSON: json)) }
}

struct PrivacySet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes the privacy settings.",
        discussion: """
            For captures that are added from now on; each keeps the settings of its shutter. What is not given stays as it is. Damaged \
            settings must be given whole.
            """)

    enum Mode: EnumerableFlag { case on, off }

    @Flag(help: "Whether photos and videos, and their depth, stay on the phone.")
    var mode: Mode?
    @Option(help: "Share no place, a coarse one (a kilometre or so), or the precise one.")
    var location: MetadataFlags.Location?
    @Option(help: "Share no time, the day in UTC, or the exact time.")
    var timestamp: TimePrecision?
    @Option(help: "Share nothing of the phone, its model, or also the versions of its system and app.")
    var device: MetadataFlags.Device?
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var options: QueueOptions

    func run() async throws {
        let settings = try changed()
        try options.createFolder()
        try options.privacySettings.save(settings)
        Console.result(settings.text(asJSON: json))
    }

    /// - Throws: ``CommandFailure`` if the present settings are damaged and not all are given: a default might share more than was meant.
    private func changed() throws -> PrivacySettings {
        let present: PrivacySettings
        do throws(PrivacySettingsError) {
            present = try options.privacySettings.load()
        } catch {
            guard error == .damaged else { throw CommandFailure("\(error)") }
            guard let mode, let location, let timestamp, let device else {
                throw CommandFailure("\(error) Give --on or --off, --location, --timestamp and --device.")
            }
            return PrivacySettings(isOn: mode == .on, flags: MetadataFlags(location: location, timestamp: timestamp, device: device))
        }
        let flags = present.flags
        return PrivacySettings(
            isOn: mode.map { $0 == .on } ?? present.isOn,
            flags: MetadataFlags(
                location: location ?? flags.location, timestamp: timestamp ?? flags.timestamp, device: device ?? flags.device))
    }
}

extension PrivacySettings {
    fileprivate func text(asJSON: Bool) -> String {
        if asJSON {
            let members: [String: JSONValue] = [
                "on": .bool(isOn), "location": .string(flags.location.rawValue), "timestamp": .string(flags.timestamp.rawValue),
                "device": .string(flags.device.rawValue),
            ]
            return JSONValue.object(members).prettyText
        }
        var table = TextTable()
        table.add("privacy mode", isOn ? "on" : "off")
        table.add("location", flags.location.rawValue)
        table.add("timestamp", flags.timestamp.rawValue)
        table.add("device", flags.device.rawValue)
        return table.text
    }
}
