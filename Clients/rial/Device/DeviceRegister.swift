public import ArgumentParser
import Foundation
import SimulatedDevice

extension Defect: ExpressibleByArgument {}

struct DeviceRegister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Creates a simulated device and registers it.",
        discussion: "The device is stored in the state file, with its private keys.")

    @Option(help: "The device's model.")
    var model = Enrolment.defaultModel
    @Flag(name: .customLong("no-lidar"), help: "A device without LiDAR.")
    var hasNoLiDAR = false
    @Option(help: "The key that signs requests: ed25519, p256, or none (the attested key does).")
    var requestKey = RequestKeyKind.ed25519
    @Option(help: "An error to make in the attestation, to see the server refuse it.")
    var defect: Defect?
    @Flag(help: "Have another root sign the attestation, so that the device is registered as unverified.")
    var unverified = false
    @Flag(help: "Replace the device in the state file.")
    var replace = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        if let defect, !defect.isOfAttestation {
            throw ValidationError("--defect \(defect.rawValue) is an error in assertions, not in the attestation.")
        }
        if unverified, defect != nil { throw ValidationError("Give either --unverified or --defect.") }
    }

    func run() async throws {
        let file = try stateOptions.file()
        if !replace, let known = try file.load() {
            throw CommandFailure(
                "\(file.url.path) already holds device \(known.deviceID); give another --state, or --replace.")
        }
        var enrolment = try enrolmentOptions.enrolment(try server.client())
        enrolment.hasLiDAR = !hasNoLiDAR
        enrolment.requestKey = requestKey
        enrolment.defect = unverified ? .otherRoot : defect
        let state = try await enrolment.run(model: model)
        try file.save(state)
        Console.result(DeviceReport(state: state, file: file.url).text)
    }
}
