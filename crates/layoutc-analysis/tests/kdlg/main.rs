//! Kernel Data Layout Graphs: distances, clusters, trees and choices.

mod choice;
mod distance;
mod drawing;
mod oracle;
mod partition;
