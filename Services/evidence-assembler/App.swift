import Foundation
import Models
import ServiceRuntime

@main
enum App {
    static func main() async throws {
        // The C2PA library lays its copies of what is large into the temporary folder. While there is one thread, none reads the variable.
        if let folder = try? ServiceEnvironment().optional("RIAL_SCRATCH_DIR") { setenv("TMPDIR", folder, 1) }
        try await ServiceMain.run(.evidenceAssembler, makeServiceGroup)
    }
}
