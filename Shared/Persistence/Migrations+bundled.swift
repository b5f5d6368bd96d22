import Foundation

extension Migrator {
    /// The product's own migrations, in order.
    public static func bundled() throws -> Migrator {
        Migrator(migrations: try load(directory: Bundle.module.bundleURL.appendingPathComponent("Migrations")))
    }
}
